"""Derive bounds for marginals that were not measured, from selections and noisy scores.

A selection or a batch of noisy scores limits the true score of every candidate. Each kind of score defines
the resulting limit for a marginal (`private.scores`). The module `bounds` has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique
from synth.core.measurements.noisy import Choice, Measurement, NoisyScores
from synth.estimates.concentration import shift_bound, tail
from synth.private.scores import SCALE, Score
from synth.release.checks.views import View, Views

HALF = 0.5 / SCALE
"""Largest amount, in counts, by which rounding to an integer can reduce the noise of a score."""


@dataclass(frozen=True, kw_only=True)
class Inferred:
    """A bound on ||M_r(D) - M_r(Dhat)||_1 in the codes of `view`, and the step of the measurement from which
    it follows.
    """

    view: View
    l1: float
    step: int


@dataclass(frozen=True, kw_only=True)
class KnownInView:
    """The inputs of an inferred bound besides the selection or score: a view, and the measurement of the
    selected clique.

    It implements `private.scores.Known`.
    """

    view: View
    winner: Measurement | None = None

    @property
    def total(self) -> float:
        return self.view.total

    def counts(self, clique: Clique) -> NDArray[np.float64]:
        return self.view.counts(clique)

    def supports(self, clique: Clique) -> bool:
        return self.view.pool.supports(clique)

    def measured(self, cliques: Sequence[Clique], *, beta: float) -> list[float]:
        return self.view.measured(cliques, beta=beta)

    def apart(self, table: NDArray[np.float64], *, beta: float) -> float | None:
        if self.winner is None or self.winner.counts.shape != table.shape:
            return None
        gap = float(np.abs(self.winner.counts - table).sum())
        noise = self.winner.law.noise
        return shift_bound(gap, cells=table.size, sigma=self.winner.sigma, noise=noise, beta=beta)


def by_selection(
    views: Views,
    choices: Sequence[Choice],
    measurements: Sequence[Measurement],
    cliques: Iterable[Clique],
    *,
    beta: float,
) -> dict[Clique, Inferred]:
    """Return a bound from a selection for each clique.

    The selection is the last one in which the clique was a candidate and after which the selected clique was
    measured.
    """
    waiting, inferred = set(cliques), dict[Clique, Inferred]()
    for choice in sorted(choices, key=lambda c: c.step, reverse=True):
        score = cast(Score, choice.score)
        view = next((v for v in views.all if score.applies_to(v.domain, waiting)), None)
        if view is None:
            continue
        known = KnownInView(view=view, winner=_measured_after(choice, measurements))
        part = beta / (score.events + 2)
        best = score.winner(choice.index, known, beta=part)
        if best is None:
            continue
        slack = choice.swing / SCALE / choice.epsilon * (math.log(len(score.cliques)) + math.log(1.0 / part))
        limits = [best + slack] * len(score.cliques)
        for r, l1 in score.bounds(limits, waiting, known, beta=part).items():
            inferred[r] = Inferred(view=view, l1=l1, step=choice.step)
            waiting.discard(r)
    return inferred


def by_scores(
    views: Views, scores: Sequence[NoisyScores], cliques: Iterable[Clique], *, beta: float
) -> dict[Clique, Inferred]:
    """Return a bound for each clique, from the last batch of noisy scores in which the clique was a
    candidate.
    """
    waiting, inferred = set(cliques), dict[Clique, Inferred]()
    for batch in sorted(scores, key=lambda s: s.step, reverse=True):
        score, view = cast(Score, batch.score), views.of(batch.groups)
        part = beta / (score.events + 1)
        limits = (batch.values + (tail(batch.sigma, beta=part) + HALF)).tolist()
        for r, l1 in score.bounds(limits, waiting, KnownInView(view=view), beta=part).items():
            inferred[r] = Inferred(view=view, l1=l1, step=batch.step)
            waiting.discard(r)
    return inferred


def _measured_after(choice: Choice, measurements: Sequence[Measurement]) -> Measurement | None:
    """Return the measurement of the selected clique that followed the selection.

    Its noise is independent of the estimates.
    """
    after = [
        m
        for m in measurements
        if m.clique == choice.clique and m.part == choice.part and m.step > choice.step
    ]
    return min(after, key=lambda m: m.step, default=None)
