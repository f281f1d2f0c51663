"""Prices of pairs that favour those one junction tree can hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from synth.core.domain import Clique
from synth.core.graphs.junction import JunctionGraph
from synth.mechanisms.columns_first import PairAllocation
from synth.mechanisms.selection.growth import grow
from synth.mechanisms.selection.split import split
from synth.private.source import Source

BESIDE = 0.6
"""What knowing the relation of a pair beside the tree is worth against one inside, which also informs the
pairs around. Values from .4 to .8 are about as good as each other."""


def tree_first_prices(
    allocation: PairAllocation,
    source: Source,
    held: Sequence[Clique],
    *,
    cap: int,
    by_chance: Mapping[Clique, float],
) -> list[tuple[Clique, float]]:
    """Pairs to measure with their prices, those of the best tree first; the last takes what is left. `held`:
    what every tree holds, as zeros and measured tables of more columns. `by_chance`: the part of a pair's
    error, added in squares, that is no relation but records that fall at random, 0 for a pair it leaves out;
    it informs no pair around, and is worth as much beside the tree as inside."""
    domain, sigmas, errors = allocation.coarsening.coarse, allocation.sigmas, allocation.errors
    inside = {r: allocation.costs(r, error) for r, error in errors.items()}
    outside = {r: allocation.costs(r, _beside(e, by_chance.get(r, 0.0))) for r, e in errors.items()}
    middle = len(sigmas) // 2
    values = {r: inside[r][-1] - inside[r][middle] for r in errors}
    best: tuple[float, list[Clique], list[float]] | None = None
    start = JunctionGraph.of(domain, held)
    for tree in grow(domain, values, cap=cap, start=start):
        held_by_tree = set(tree)
        pairs = [*tree, *(r for r in errors if r not in held_by_tree)]
        costs = np.array([*(inside[r] for r in tree), *(outside[r] for r in pairs[len(tree) :])])
        bought, cost = split(costs, sigmas, rho=source.left.rho, price=source.terms.rho_for)
        gained = float(costs[:, -1].sum()) - cost
        if best is None or gained > best[0]:
            best = gained, pairs, bought.tolist()
    assert best is not None
    priced = [(r, rho) for r, rho in zip(best[1], best[2], strict=True) if rho > 0]
    priced = priced or [(max(values, key=values.__getitem__), source.left.rho)]
    others = priced[:-1]
    return [*others, (priced[-1][0], source.left.after([rho for _, rho in others]).rho)]


def _beside(error: float, by_chance: float) -> float:
    """The worth of an error of a pair beside the tree."""
    random = min(by_chance, error)
    return math.hypot(BESIDE * math.sqrt(error**2 - random**2), random)
