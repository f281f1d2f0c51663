"""Progress of long work, and the public state from which it can continue."""

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
"""Seconds before the remaining time is estimated."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """One public fact about a running release. `done` is the fraction of the budget or of the work.

    An iterative fit may report its `loss` after a number of `steps`: the distance of its model from the noisy
    measurements. The next fit starts again at a lower step.
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
        """Return how many are done. The remaining time is omitted in the first seconds and at the end."""
        passed = time.monotonic() - self._began
        if not 0 < done < of or passed < SOON_SECONDS:
            return f"{done:,} of {of:,} {what}"
        left = passed * (of - done) / done
        words = f"{math.ceil(left)} s" if left < 90 else f"{math.ceil(left / 60)} minutes"
        return f"{done:,} of {of:,} {what}, about {words} left"


Reporter = Callable[[Progress], None]
"""Receives progress; may raise `errors.Cancelled` to stop between rounds."""


def silent(progress: Progress) -> None:
    """Ignore progress."""


Arrays: TypeAlias = "Mapping[str, NDArray[np.float64]]"
Ended: TypeAlias = "Mapping[str, NDArray[Any]]"
"""The final state of a fit: enough to rebuild its model exactly, without another step."""


class Checkpoint(Protocol):
    """Saves arrays between the steps of some work, so that it can continue. All of them are public. The final
    state is not kept unless a checkpoint says otherwise.
    """

    def load(self) -> Arrays:
        """Return what was saved last; empty if nothing was."""
        ...

    def save(self, arrays: Arrays) -> None:
        """Replace what was saved before."""
        ...

    def finished(self) -> Ended:
        """Return the cached result of this fit, or an empty mapping."""
        return {}

    def finish(self, arrays: Ended) -> None:
        """Store the final state of the fit."""
        return


class Unsaved(Checkpoint):
    """A checkpoint that keeps nothing."""

    def load(self) -> Arrays:
        return {}

    def save(self, arrays: Arrays) -> None:
        return


UNSAVED = Unsaved()


class Fits(Protocol):
    """Keeps the final states of fits between rounds, so that a resumed run does not repeat them."""

    def checkpoint(self, key: str) -> Checkpoint:
        """Return the checkpoint of the fit that `key`, a digest of its inputs, identifies."""
        ...


class Unkept:
    """Keeps nothing."""

    def checkpoint(self, key: str) -> Checkpoint:
        return UNSAVED


UNKEPT = Unkept()
