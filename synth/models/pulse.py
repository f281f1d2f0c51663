"""Report the progress of a fit every few seconds."""

from __future__ import annotations

import time

from synth.core.numbers import about
from synth.core.progress import Progress, Reporter

PULSE_SECONDS = 2.0
"""Number of seconds between two reports of a long fit."""


class Pulse:
    """Progress reports of a fit with a known number of steps. `words` describes the fit."""

    def __init__(self, words: str, steps: int, report: Reporter) -> None:
        self._words, self._steps, self._report, self._done = words, steps, report, 0.0
        self._last = time.monotonic()

    @property
    def is_due(self) -> bool:
        return time.monotonic() - self._last > PULSE_SECONDS

    def on_step(self, step: int, loss: float | None) -> None:
        """Report a step if the last report was at least `PULSE_SECONDS` ago."""
        self._done = min(1.0, step / self._steps)
        if self.is_due:
            of_loss = "" if loss is None else f": loss {about(loss, digits=4)} on the noisy measurements"
            steps = None if loss is None else step
            fact = f"{self._words}{of_loss}, step {step:,}"
            self._report(Progress(stage="fit", done=self._done, fact=fact, steps=steps, loss=loss))
            self._last = time.monotonic()

    def note(self, fact: str) -> None:
        """Report a fact immediately."""
        self._report(Progress(stage="fit", done=self._done, fact=fact))
