"""Report a fit's progress every few seconds and save its state."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from synth.core.numbers import about
from synth.core.progress import Checkpoint, Progress, Reporter
from synth.models.pgm import fitting


class Pulse:
    """Tells of a fit of so many steps, `words` saying what it does, and saves its state as `name`."""

    def __init__(self, name: str, words: str, steps: int, report: Reporter, checkpoint: Checkpoint) -> None:
        self._name, self._words, self._steps = name, words, steps
        self._report, self._checkpoint, self._told = report, checkpoint, time.monotonic()

    def told(self, step: int, loss: float, state: Callable[[], NDArray[np.float64]]) -> None:
        if time.monotonic() - self._told <= fitting.PULSE_SECONDS:
            return
        self._checkpoint.save({self._name: state()})
        fact = f"{self._words}: loss {about(loss, digits=4)} against the noisy answers, step {step:,}"
        self._report(Progress(stage="fit", done=step / self._steps, fact=fact, steps=step, loss=loss))
        self._told = time.monotonic()

    def split(self, chunks: int) -> None:
        fact = f"the device is out of memory: the batch is cut into {chunks} chunks"
        self._report(Progress(stage="fit", done=0.0, fact=fact))
