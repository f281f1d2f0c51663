"""What a mechanism has been told so far, and the graphical model that follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from synth.domain import Clique
from synth.generate import pgm
from synth.generate.total import estimate_total
from synth.measure.score import L1Gap, Score
from synth.measure.source import Choice, NoisyScores, Source
from synth.measurement import Measurement
from synth.mechanisms.base import Fitted, Task


class Answers:
    """Asks a source on behalf of a mechanism and keeps every answer."""

    def __init__(self, source: Source, task: Task) -> None:
        self._source, self._task = source, task
        self._measurements: list[Measurement] = []
        self._choices: list[Choice] = []
        self._scores: list[NoisyScores] = []

    @property
    def cliques(self) -> list[Clique]:
        """What the model must cover: measured cliques and those of structural zeros."""
        return [*(m.clique for m in self._measurements), *(z.clique for z in self._task.zeros)]

    @property
    def total(self) -> float:
        """The number of records: public, or what the measurements so far say."""
        return self._source.total or estimate_total(self._measurements)

    def measure(self, clique: Clique, *, rho: float) -> None:
        self._measurements.append(self._source.measure(clique, rho=rho))

    def measure_all(self, shares: Mapping[Clique, float], *, rho: float) -> None:
        """Measure cliques at their shares of a price, which sum to 1; the last takes what rounding left."""
        left = rho
        for i, (clique, share) in enumerate(shares.items()):
            price = left if i == len(shares) - 1 else rho * share
            self.measure(clique, rho=price)
            left -= price

    def choose(self, score: L1Gap, *, rho: float) -> Clique:
        """Ask for a candidate; of the estimates of earlier rounds only those still needed for bounds stay."""
        self._choices = [c.forget(score.cliques) for c in self._choices]
        self._choices.append(self._source.choose(score, rho=rho))
        return self._choices[-1].clique

    def score(self, score: Score, *, rho: float) -> NDArray[np.float64]:
        """Ask for all scores at once; estimates are let go of as in `choose`. Shapes: float64[candidates], in
        counts."""
        self._scores = [replace(s, score=s.score.forget(score.cliques)) for s in self._scores]
        self._scores.append(self._source.score(score, rho=rho))
        return self._scores[-1].values

    def fit(self, start: pgm.PGM | None, *, tolerance: float, sweeps: int = 400) -> pgm.PGM:
        options = pgm.FitOptions(tolerance=tolerance, sweeps=sweeps)
        return pgm.fit(
            self._source.domain,
            self._measurements,
            zeros=self._task.zeros,
            total=self.total,
            start=start,
            options=options,
        )

    def fitted(self, model: pgm.PGM) -> Fitted:
        return Fitted(
            model=model,
            measurements=tuple(self._measurements),
            choices=tuple(self._choices),
            scores=tuple(self._scores),
        )
