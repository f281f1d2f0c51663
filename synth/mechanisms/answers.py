"""What a mechanism has been told so far, and the graphical model that follows from it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
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
from synth.zeros import allowed_cells


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

    def measure_each(self, cliques: Iterable[Clique], *, rho: float) -> None:
        """Measure cliques at this price each."""
        self._measurements += self._source.measure_all([(r, rho) for r in cliques])

    def measure_all(self, shares: Mapping[Clique, float], *, rho: float) -> None:
        """Measure cliques at their shares of a price, which sum to 1; the last takes what rounding left."""
        asked, left = [], rho
        for i, (clique, share) in enumerate(shares.items()):
            price = left if i == len(shares) - 1 else rho * share
            asked.append((clique, price))
            left -= price
        self._measurements += self._source.measure_all(asked)

    def choose(self, score: Score, *, rho: float) -> Clique:
        """Ask for a candidate; of the estimates of earlier rounds only those still needed for bounds stay."""
        self._choices = [c.forget(score.cliques) for c in self._choices]
        self._choices.append(self._source.choose(score, rho=rho))
        return self._choices[-1].clique

    def choose_worst(
        self,
        candidates: Sequence[Clique],
        estimates: Sequence[NDArray[np.float64]],
        *,
        weights: Mapping[Clique, int],
        noise: Mapping[Clique, float],
        rho: float,
    ) -> Clique:
        """Ask which candidate is furthest from its estimate: w_r (||M_r(D) - estimate_r||_1 - noise_r)."""
        score = L1Gap(
            cliques=tuple(candidates),
            estimates=tuple(estimates),
            weights=tuple(weights[r] for r in candidates),
            penalties=tuple(noise[r] for r in candidates),
        )
        return self.choose(score, rho=rho)

    def noise(self, cliques: Iterable[Clique], *, rho: float) -> dict[Clique, float]:
        """Expected L1 norm of the noise each measurement would have at this price, sqrt(2/pi) sigma n_r, over
        the n_r cells that structural zeros allow."""
        domain, level = self._source.domain, math.sqrt(2 / math.pi) * self._source.sigma(rho)
        return {r: level * int(allowed_cells(domain, r, self._task.zeros).sum()) for r in cliques}

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
