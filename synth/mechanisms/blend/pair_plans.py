"""Compute two plans for measuring pairs, and predict the error of each: one favours the pairs of a tree, the
other has equal costs.

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
    """The codes in which pairs are measured, and the budget share of each, in the order of measuring."""

    coarsening: Coarsening
    parts: Mapping[Clique, float]


def allocation_of(
    source: Source, problem: Problem, first: FirstPass, errors: Mapping[Clique, float]
) -> PairAllocation:
    """Return the best codes and privacy costs for measuring pairs one by one. `errors`: the error of each
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
    """Predict the weighted error (in counts) of all pairs if each is measured and shrunk separately."""
    costs = np.array([allocation.costs(r, error) for r, error in allocation.errors.items()])
    return split(costs, allocation.sigmas, rho=source.left.rho, price=source.terms.rho_for)[1]


def error_alike(source: Source, first: FirstPass) -> float:
    """Predict the weighted error of all pairs if all are measured at the same cost and one model explains
    them.

    Such a model knows a pair up to its deviation from the others, the standard deviation of all departures
    from independence, and up to the noise of one number, 0.8 sigma sqrt(cells). It also learns about a pair
    of d columns through the d - 2 other columns, which divides both by sqrt((d - 2) / 2). If a starting table
    is nearer than the deviation, its distance counts instead.
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
    """Plan to favour the pairs that one junction tree can contain.

    Trees are grown under a cap on their cliques. For each tree, the budget is split so that the predicted
    error is smallest, where the relations of pairs outside the tree count `BESIDE` times. The best tree is
    kept. The pairs of the tree come first. `held`: cliques that must be in every tree, such as those of
    structural zeros. `sampling`: the part of each error, in squares, that is sampling error. It provides no
    information about other pairs, so it counts the same inside and outside the tree.
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
    """Plan the same share for every pair, the most dependent first. The domain's codes are used if the
    average cell is at least `OWN_SIGMAS` times its noise, because neighbours and other pairs compensate;
    otherwise the codes of the other plan are used.
    """
    is_own = average_cell(source, first) >= c.OWN_SIGMAS
    distances = first.distances
    furthest = sorted(first.weights, key=lambda r: (-distances[r], r))
    return PairPlan(
        coarsening=Coarsening(source.domain, ()) if is_own else allocation.coarsening,
        parts=dict.fromkeys(furthest, 1.0),
    )


def average_cell(source: Source, first: FirstPass) -> float:
    """Return the average count of a cell of an average pair, in sigmas, if all pairs are measured at the same
    cost.
    """
    cells = float(np.mean([source.domain.size(r) for r in first.weights]))
    return first.total / cells / source.terms.sigma(source.left.rho / len(first.weights))


def columns_again(source: Source, first: FirstPass) -> float:
    """Return the share of the remaining budget for measuring columns again if pairs are measured at the same
    cost.

    It is twice the columns' share s, or twice 0.4 - s if that is less, times 1 - (sigmas of an average cell)
    / 5.
    """
    unclear = max(0.0, 1 - average_cell(source, first) / c.CLEAR_SIGMAS)
    part = 2 * unclear * min(first.share, c.MOST_COLUMNS - first.share)
    return part if part >= c.LEAST_AGAIN else 0.0
