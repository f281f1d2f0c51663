"""What selections and noisy scores say of marginals that nobody measured; `check.bounds` has the proofs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.answers import Choice, Measurement, NoisyScores
from synth.check.concentration import shift_bound, tail
from synth.check.views import View, Views
from synth.domain import Clique
from synth.measure.score import SCALE, Dependence, InDif, L1Gap

HALF = 0.5 / SCALE
"""Counts by which the noise of a score may lie lower for being rounded to an integer."""


@dataclass(frozen=True, kw_only=True)
class Inferred:
    """A bound on ||M_r(D) - M_r(Dhat)||_1 in the codes of `view`, and the step of the answer it rests on."""

    view: View
    l1: float
    step: int


def by_selection(
    views: Views,
    choices: Sequence[Choice],
    measurements: Sequence[Measurement],
    cliques: Iterable[Clique],
    *,
    beta: float,
) -> dict[Clique, Inferred]:
    """For each clique the last selection that had it as a candidate and whose winner was measured later."""
    waiting, found = set(cliques), dict[Clique, Inferred]()
    for choice in sorted(choices, key=lambda c: c.step, reverse=True):
        if isinstance(choice.score, Dependence):
            found |= _of_families(views, choice, choice.score, waiting, beta)
            waiting -= found.keys()
            continue
        score, measured = choice.score, _measured_after(choice, measurements)
        if not isinstance(score, L1Gap) or measured is None:
            continue
        mine = tuple(r for r, w in zip(score.cliques, score.weights, strict=True) if w > 0 and r in waiting)
        view = _view(views.all, score, mine)
        if not mine or view is None or measured.counts.shape != score.estimates[choice.index].shape:
            continue
        waiting.difference_update(mine)
        for r, l1 in _of_round(choice, score, measured, mine, view, beta).items():
            found[r] = Inferred(view=view, l1=l1, step=choice.step)
    return found


def by_scores(
    views: Views, scores: Sequence[NoisyScores], cliques: Iterable[Clique], *, beta: float
) -> dict[Clique, Inferred]:
    """For each clique the last batch of noisy scores that had it as a candidate."""
    waiting, found = set(cliques), dict[Clique, Inferred]()
    for batch in sorted(scores, key=lambda s: s.step, reverse=True):
        if isinstance(batch.score, L1Gap):
            claims = _of_gaps(views.of(batch.groups), batch, batch.score, waiting, beta)
        elif isinstance(batch.score, InDif):
            claims = _of_dependences(views.of(batch.groups), batch, waiting, beta)
        else:
            continue
        waiting -= claims.keys()
        found |= claims
    return found


def _of_round(
    choice: Choice, score: L1Gap, measured: Measurement, mine: Sequence[Clique], view: View, beta: float
) -> dict[Clique, float]:
    winner, position = choice.index, {r: i for i, r in enumerate(score.cliques)}
    gap = float(np.abs(measured.counts - _estimate(score, winner)).sum())
    error = shift_bound(gap, cells=measured.counts.size, sigma=measured.sigma, beta=beta / 2.0)
    slack = choice.swing / SCALE / choice.epsilon
    slack *= math.log(len(score.cliques)) + math.log(2.0 / beta)
    excess = score.weights[winner] * (error - _penalty(score, winner)) + slack
    found = {}
    for r in mine:
        i = position[r]
        distance = max(_penalty(score, i) + excess / score.weights[i], 0.0)
        found[r] = distance + float(np.abs(view.counts(r) - _estimate(score, i)).sum())
    return found


def _of_families(
    views: Views, choice: Choice, score: Dependence, waiting: set[Clique], beta: float
) -> dict[Clique, Inferred]:
    sizes = {name: column.size for name, column in score.columns.items()}
    fitting = (v for v in views.all if all(v.domain.size([n]) == size for n, size in sizes.items()))
    view = next(fitting, None)
    if view is None or not view.pool.supports(choice.clique):
        return {}
    (error,) = view.measured([choice.clique], beta=beta / 3.0)
    best = 2.0 * error + _apart(view, score, choice.clique, score.children[choice.index])
    best += choice.swing / SCALE / choice.epsilon * (math.log(len(score.cliques)) + math.log(3.0 / beta))
    found = dict[Clique, Inferred]()
    for family, child in zip(score.cliques, score.children, strict=True):
        inside = [r for r in waiting if child in r and len(r) > 1 and set(r) <= set(family)]
        for r in (r for r in inside if r not in found):
            parents = tuple(name for name in r if name != child)
            if view.pool.supports(parents):
                (known,) = view.measured([parents], beta=beta / 3.0)
                l1 = best + 1.0 / SCALE + known + _apart(view, score, r, child)
                found[r] = Inferred(view=view, l1=l1, step=choice.step)
    return found


def _apart(view: View, score: Dependence, clique: Clique, child: str) -> float:
    """||M_r - p M_P||_1 of the released table."""
    table = np.moveaxis(view.counts(clique), clique.index(child), 0)
    return float(np.abs(table - np.multiply.outer(score.shares(child), table.sum(axis=0))).sum())


def _of_gaps(
    view: View, batch: NoisyScores, score: L1Gap, waiting: set[Clique], beta: float
) -> dict[Clique, Inferred]:
    noise, found = tail(batch.sigma, beta=beta) + HALF, dict[Clique, Inferred]()
    for i, r in enumerate(score.cliques):
        if score.weights[i] <= 0 or r not in waiting or not score.estimates[i].size:
            continue
        distance = max(_penalty(score, i) + (float(batch.values[i]) + noise) / score.weights[i], 0.0)
        l1 = distance + float(np.abs(view.counts(r) - _estimate(score, i)).sum())
        found[r] = Inferred(view=view, l1=l1, step=batch.step)
    return found


def _of_dependences(
    view: View, batch: NoisyScores, waiting: set[Clique], beta: float
) -> dict[Clique, Inferred]:
    found, errors = dict[Clique, Inferred](), dict[str, float | None]()
    noise = tail(batch.sigma, beta=beta / 3.0) + HALF + 1.0 / SCALE
    for r, value in zip(batch.score.cliques, batch.values, strict=True):
        if r not in waiting:
            continue
        for name in r:
            if name not in errors:
                errors[name] = _column_error(view, name, beta / 3.0)
        left, right = (errors[name] for name in r)
        if left is None or right is None:
            continue
        table = view.counts(r)
        product = np.outer(table.sum(axis=1), table.sum(axis=0)) / view.total
        apart = left + right + min(left, right)
        l1 = max(float(value) + noise, 0.0) + apart + float(np.abs(product - table).sum())
        found[r] = Inferred(view=view, l1=l1, step=batch.step)
    return found


def _column_error(view: View, name: str, beta: float) -> float | None:
    return view.measured([(name,)], beta=beta)[0] if view.pool.supports((name,)) else None


def _view(views: Sequence[View], score: L1Gap, cliques: Sequence[Clique]) -> View | None:
    """The view in whose codes the score's estimates are."""
    tables = dict(zip(score.cliques, score.estimates, strict=True))
    return next((v for v in views if all(v.fits(r, tables[r]) for r in cliques)), None)


def _estimate(score: L1Gap, index: int) -> NDArray[np.float64]:
    """The estimate as the score used it: rounded to fixed point."""
    return np.asarray(np.rint(score.estimates[index] * SCALE) / SCALE)


def _penalty(score: L1Gap, index: int) -> float:
    return round(score.penalties[index] * SCALE) / SCALE


def _measured_after(choice: Choice, measurements: Sequence[Measurement]) -> Measurement | None:
    """The winner's measurement that followed the selection, whose noise the estimates cannot know."""
    after = [
        m
        for m in measurements
        if m.clique == choice.clique and m.part == choice.part and m.step > choice.step
    ]
    return min(after, key=lambda m: m.step, default=None)
