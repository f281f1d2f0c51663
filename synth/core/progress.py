"""The progress of long computations, and the public state from which they can continue."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SOON_SECONDS = 3.0
"""Seconds after which the remaining time is estimated."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """One public fact about a running release.

    `done` is the completed fraction of the budget or of the work. An iterative fit may report its `loss`
    after a number of `steps`: the distance of its model from the noisy measurements. The step count starts
    again with the next fit.
    """

    stage: str
    done: float
    fact: str
    steps: int | None = None
    loss: float | None = None


class Pace:
    """Progress in words, with an estimate of the remaining time."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def told(self, done: int, of: int, what: str) -> str:
        """Return a text with the number of completed items.

        The remaining time is omitted in the first seconds and at the end.
        """
        passed = time.monotonic() - self._began
        if not 0 < done < of or passed < SOON_SECONDS:
            return f"{done:,} of {of:,} {what}"
        left = passed * (of - done) / done
        words = f"{math.ceil(left)} s" if left < 90 else f"{math.ceil(left / 60)} minutes"
        return f"{done:,} of {of:,} {what}, about {words} left"


Reporter = Callable[[Progress], None]
"""A function that receives progress. It may raise `errors.Cancelled` to stop between rounds."""


def silent(progress: Progress) -> None:
    """Ignore progress."""


Arrays: TypeAlias = "Mapping[str, NDArray[np.float64]]"
Ended: TypeAlias = "Mapping[str, NDArray[Any]]"
"""The final state of a fit, which is enough to rebuild its model exactly, without another step."""


class Checkpoint(Protocol):
    """A store for arrays between the steps of a computation, so that it can continue. All of them are public.

    The final state is not kept unless a checkpoint specifies it.
    """

    def load(self) -> Arrays:
        """Return the arrays saved last, or an empty mapping."""
        ...

    def save(self, arrays: Arrays) -> None:
        """Replace the saved arrays."""
        ...

    def finished(self) -> Ended:
        """Return the cached result of this fit, or an empty mapping."""
        return {}

    def finish(self, arrays: Ended) -> None:
        """Store the final state of the fit."""
        return


class Unsaved(Checkpoint):
    """A checkpoint that saves nothing."""

    def load(self) -> Arrays:
        return {}

    def save(self, arrays: Arrays) -> None:
        return


UNSAVED = Unsaved()


class Fits(Protocol):
    """A store for the final states of fits between rounds, so that a resumed run does not repeat them."""

    def checkpoint(self, key: str) -> Checkpoint:
        """Return the checkpoint of the fit with this `key`, which is a digest of its inputs."""
        ...


class Unkept:
    """A store that keeps nothing."""

    def checkpoint(self, key: str) -> Checkpoint:
        return UNSAVED


UNKEPT = Unkept()
