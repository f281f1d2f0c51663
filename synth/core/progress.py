"""Report the progress of long computations, and store finished fits."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import NDArray

SOON_SECONDS = 3.0
"""Time in seconds after which the remaining time is estimated."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """A public progress message about a running release.

    `done` is the completed fraction of the budget or of the work. An iterative fit can report its `loss`
    after a number of `steps`: the distance between its model and the noisy measurements. The number of steps
    starts at zero again with the next fit.
    """

    stage: str
    done: float
    fact: str
    steps: int | None = None
    loss: float | None = None


class Pace:
    """Formats progress messages with an estimate of the remaining time."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def as_text(self, done: int, of: int, what: str) -> str:
        """Return a text with the number of completed items and the remaining time.

        The remaining time is omitted in the first seconds and at the end.
        """
        passed = time.monotonic() - self._began
        if not 0 < done < of or passed < SOON_SECONDS:
            return f"{done:,} of {of:,} {what}"
        left = passed * (of - done) / done
        words = f"{math.ceil(left)} s" if left < 90 else f"{math.ceil(left / 60)} minutes"
        return f"{done:,} of {of:,} {what}, about {words} left"


Reporter = Callable[[Progress], None]
"""A function that receives progress messages. It may raise `errors.Cancelled` to stop the run between
rounds.
"""


def silent(progress: Progress) -> None:
    """Ignore progress."""


Ended: TypeAlias = "Mapping[str, NDArray[Any]]"
"""The final state of a fit, from which the model can be rebuilt exactly without further steps."""


class Checkpoint(Protocol):
    """Storage for the final state of a fit. The state is public."""

    def finished(self) -> Ended:
        """Return the stored final state of this fit, or an empty mapping."""
        ...

    def finish(self, arrays: Ended) -> None:
        """Store the final state of the fit."""
        ...


class Unsaved:
    """A checkpoint that stores nothing."""

    def finished(self) -> Ended:
        return {}

    def finish(self, arrays: Ended) -> None:
        return


UNSAVED = Unsaved()


class Fits(Protocol):
    """Storage for the final states of fits between rounds, so that a resumed run does not repeat them."""

    def checkpoint(self, key: str) -> Checkpoint:
        """Return the checkpoint of the fit with this `key`, which is a digest of its inputs."""
        ...


class Unkept:
    """A `Fits` that stores nothing."""

    def checkpoint(self, key: str) -> Checkpoint:
        return UNSAVED


UNKEPT = Unkept()
