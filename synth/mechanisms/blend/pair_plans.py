"""Compute two plans for measuring pairs, and predict the error of each. One plan favours the pairs of a tree,
and the other measures all pairs at the same cost.

This is post-processing of noisy measurements, public sizes and the budget.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from synth.core.domain import Clique
from synth.core.graphs.junction import JunctionGraph
from synth.mechanisms.blend import constants as c
from synth.mechanisms.blend.first_pass import FirstPass
from synth.mechanisms.selection.growth import grow
from synth.mechanisms.selection.split import MEAN_ABSOLUTE, split
from synth.mechanisms.shared.base import Problem
from synth.mechanisms.shared.columns_first import PairAllocation, best_allocation
from synth.models.coarse import Coarsening
from synth.private.source import Source


@dataclass(frozen=True, eq=False, kw_only=True)
class PairPlan:
    """The codes in which pairs are measured, and the budget share of each pair, in measurement order."""

    coarsening: Coarsening
    parts: Mapping[Clique, float]


def allocation_of(
    source: Source, problem: Problem, first: FirstPass, errors: Mapping[Clique, float]
) -> PairAllocation:
    """Return the best codes and privacy costs if pairs are measured separately. `errors`: the error of each
    pair if it is not measured.
    """
    return best_allocation(
        source,
        problem,
        first.columns,
        weights=first.weights,
        errors=errors,
        departures=first.departures if first.starts else errors,
        total=first.total,
        typical=first.typical,
        interactions=first.interactions,
    )


def error_one_by_one(allocation: PairAllocation, source: Source) -> float:
    """Predict the weighted error (in counts) of all pairs if each pair is measured and shrunk separately."""
    return allocation.predicted(source, allocation.costs)


def error_alike(source: Source, first: FirstPass) -> float:
    """Predict the weighted error of all pairs if all are measured at the same cost and one model explains
    them.

    Such a model predicts a pair with two errors. The first is the deviation of the pair from the other pairs,
    which is the standard deviation of all departures from independence. The second is the noise of one value,
    0.8 sigma sqrt(cells). The model also learns about a pair through the d - 2 other columns, which divides
    both errors by sqrt((d - 2) / 2). If the distance from a starting table is smaller than the deviation, it
    replaces the deviation.
    """
    others = len(source.domain) - 2
    if others < 1:
        return math.inf
    learnt = math.sqrt(others / 2)
    apart = float(np.std([*first.departures.values()] if first.starts else first.values)) / learnt
    noise = MEAN_ABSOLUTE * source.terms.sigma(source.left.rho / len(first.weights))
    cells = ((w, math.sqrt(source.domain.size(r)) / learnt) for r, w in first.weights.items())
    return sum(w * (min(apart, first.off) + noise * root) for w, root in cells)


def plan_one_by_one(
    allocation: PairAllocation,
    source: Source,
    held: Sequence[Clique],
    *,
    cap: int,
    sampling: Mapping[Clique, float],
) -> PairPlan:
    """Return a plan that favours the pairs that one junction tree can contain.

    Several trees are grown with a maximum clique size. For each tree, the budget is split so that the
    predicted error is minimal; the relations of pairs outside the tree are multiplied by `BESIDE`. The best
    tree is kept, and its pairs come first.

    `held`: cliques that must be in every tree, such as those of structural zeros. `sampling`: the sampling
    error of each pair. It provides no information about other pairs, so it has the same weight inside and
    outside the tree.
    """
    domain, sigmas, errors = allocation.coarsening.coarse, allocation.sigmas, allocation.errors
    inside = {r: allocation.costs(r, error) for r, error in errors.items()}
    beside = {r: allocation.costs(r, _beside(e, sampling.get(r, 0.0))) for r, e in errors.items()}
    middle = len(sigmas) // 2
    values = {r: inside[r][-1] - inside[r][middle] for r in errors}
    best: tuple[float, list[Clique], list[float]] | None = None
    for tree in grow(domain, values, cap=cap, start=JunctionGraph.of(domain, held)):
        in_tree = set(tree)
        pairs = [*tree, *(r for r in errors if r not in in_tree)]
        costs = np.array([*(inside[r] for r in tree), *(beside[r] for r in pairs[len(tree) :])])
        spent, cost = split(costs, sigmas, rho=source.left.rho, price=source.terms.rho_for)
        gained = float(costs[:, -1].sum()) - cost
        if best is None or gained > best[0]:
            best = gained, pairs, spent.tolist()
    assert best is not None
    measured_pairs = {r: rho for r, rho in zip(best[1], best[2], strict=True) if rho > 0}
    return PairPlan(
        coarsening=allocation.coarsening,
        parts=measured_pairs or {max(values, key=values.__getitem__): 1.0},
    )


def _beside(error: float, sampling: float) -> float:
    random = min(sampling, error)
    return math.hypot(c.BESIDE * math.sqrt(error**2 - random**2), random)


def plan_alike(allocation: PairAllocation, source: Source, first: FirstPass) -> PairPlan:
    """Return a plan that gives every pair the same share, with the most dependent pairs first.

    The plan uses the domain's own codes if an average cell contains at least `OWN_SIGMAS` times its noise,
    because neighbouring cells and other pairs compensate for the noise. Otherwise it uses the codes of
    `allocation`.
    """
    is_own = average_cell(source, first) >= c.OWN_SIGMAS
    distances = first.distances
    furthest = sorted(first.weights, key=lambda r: (-distances[r], r))
    return PairPlan(
        coarsening=Coarsening(source.domain, ()) if is_own else allocation.coarsening,
        parts=dict.fromkeys(furthest, 1.0),
    )


def average_cell(source: Source, first: FirstPass) -> float:
    """Return the mean count of a cell, in sigmas, if all pairs are measured at the same cost."""
    cells = float(np.mean([source.domain.size(r) for r in first.weights]))
    return first.total / cells / source.terms.sigma(source.left.rho / len(first.weights))


def columns_again(source: Source, first: FirstPass, *, is_alike: bool) -> float:
    """Return the share of the remaining budget for measuring the columns again.

    It is u 2 min(s, 0.4 - s) if all pairs have the same cost (`is_alike`), where s is the share of the first
    measurement and u = max(0, 1 - t / 5) with t = `average_cell`. Otherwise, it is u min(0.9, 2 / max(z,
    0)^2), where z is `FirstPass.seen`: if the scores hardly show a relation, measurements of pairs would be
    mostly noise. The share is 0 if it is negative or below `LEAST_AGAIN`.
    """
    unclear = max(0.0, 1 - average_cell(source, first) / c.CLEAR_SIGMAS)
    if is_alike:
        part = 2 * min(first.share, c.MOST_COLUMNS - first.share)
    else:
        part = min(c.MOST_AGAIN, c.UNSEEN / max(first.seen, 1e-9) ** 2)
    return unclear * part if unclear * part >= c.LEAST_AGAIN else 0.0
