"""Public facts about work that is under way, and public state it may keep to go on from."""

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
"""Before so much time has passed nothing is said of what is left."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """One public fact about a running release. `done` is a fraction of the budget or of the work.

    A fit that searches step by step may tell its `loss` after so many `steps`: how far its model still is
    from the noisy answers, in units of its own, and from nothing else. The next fit begins again at a lower
    step.
    """

    stage: str
    done: float
    fact: str
    steps: int | None = None
    loss: float | None = None


class Pace:
    """How far work has come since it began, in words, with the time that is left if it goes on as it did."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def told(self, done: int, of: int, what: str) -> str:
        """`done` of so many things. No time is told in the first seconds, nor at the end."""
        passed = time.monotonic() - self._began
        if not 0 < done < of or passed < SOON_SECONDS:
            return f"{done:,} of {of:,} {what}"
        left = passed * (of - done) / done
        words = f"{math.ceil(left)} s" if left < 90 else f"{math.ceil(left / 60)} minutes"
        return f"{done:,} of {of:,} {what}, about {words} left"


Reporter = Callable[[Progress], None]
"""Receives public facts; may raise `errors.Cancelled` to stop between rounds."""


def silent(progress: Progress) -> None:
    """A reporter that tells nobody."""


Arrays: TypeAlias = "Mapping[str, NDArray[np.float64]]"
Ended: TypeAlias = "Mapping[str, NDArray[Any]]"
"""What a fit ended with: enough to make its model again, to the last bit, without a step."""


class Checkpoint(Protocol):
    """Where work keeps arrays between its steps, to be taken up where it was stopped. All of it public. What
    work ended with is not kept unless a checkpoint says otherwise."""

    def load(self) -> Arrays:
        """What was saved last; empty if nothing was."""
        ...

    def save(self, arrays: Arrays) -> None:
        """Keep these instead of what was saved before."""
        ...

    def finished(self) -> Ended:
        """What the same fit ended with before; empty if that was not kept."""
        return {}

    def finish(self, arrays: Ended) -> None:
        """Hear what the fit ended with."""
        return


class Unsaved:
    """A checkpoint that keeps nothing."""

    def load(self) -> Arrays:
        return {}

    def save(self, arrays: Arrays) -> None:
        return None

    def finished(self) -> Ended:
        return {}

    def finish(self, arrays: Ended) -> None:
        return None


UNSAVED = Unsaved()


class Fits(Protocol):
    """Where a run keeps what the fits between its rounds ended with, so that one that was stopped and goes on
    does not make them again."""

    def checkpoint(self, key: str) -> Checkpoint:
        """Of the one fit that `key`, a digest of all it is made of, stands for."""
        ...


class Unkept:
    """Keeps nothing."""

    def checkpoint(self, key: str) -> Checkpoint:
        return UNSAVED


UNKEPT = Unkept()
