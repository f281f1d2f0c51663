"""Report a fit's progress every few seconds and save its state."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from synth.core.numbers import about
from synth.core.progress import Checkpoint, Progress, Reporter

State = NDArray[np.float64]

PULSE_SECONDS = 2.0
"""Seconds between two reports of a long fit."""


class Pulse:
    """Progress reports of a fit with a given number of steps. `words` describes the fit, and `name` is the
    name of its saved state.

    `of`: the inputs to which the state belongs, as arrays or objects with their own `repr`; a state of other
    inputs is ignored. `begun`: the fraction of the fit that is done before the first step.
    """

    def __init__(
        self,
        name: str,
        words: str,
        steps: int,
        report: Reporter,
        checkpoint: Checkpoint,
        *,
        of: Iterable[object] = (),
        begun: float = 0.0,
    ) -> None:
        self._name, self._words, self._steps, self._begun, self._done = name, words, steps, begun, begun
        self._report, self._checkpoint, self._last = report, checkpoint, time.monotonic()
        self._mark = _mark(of)

    def saved(self) -> State | None:
        """Return the last state that an earlier fit of the same inputs saved."""
        kept, head = self._checkpoint.load().get(self._name), self._mark.size
        return kept[head:] if kept is not None and np.array_equal(kept[:head], self._mark) else None

    @property
    def is_due(self) -> bool:
        return time.monotonic() - self._last > PULSE_SECONDS

    def told(self, step: int, loss: float | None, state: Callable[[], State]) -> None:
        self._done = self._begun + (1 - self._begun) * min(1.0, step / self._steps)
        if self.is_due:
            self._checkpoint.save({self._name: np.concatenate([self._mark, state()])})
            of_loss = "" if loss is None else f": loss {about(loss, digits=4)} against the noisy answers"
            steps = None if loss is None else step
            fact = f"{self._words}{of_loss}, step {step:,}"
            self._report(Progress(stage="fit", done=self._done, fact=fact, steps=steps, loss=loss))
            self._last = time.monotonic()

    def note(self, fact: str) -> None:
        """Report a fact at once."""
        self._report(Progress(stage="fit", done=self._done, fact=fact))


def _mark(of: Iterable[object]) -> State:
    parts = list(of)
    if not parts:
        return np.zeros(0)
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode())
    return np.frombuffer(digest.digest(), dtype=np.uint32).astype(np.float64)
