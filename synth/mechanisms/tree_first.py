"""Prices of pairs that favour those one junction tree can hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from synth.domain import Clique
from synth.junction import JunctionGraph
from synth.measure.source import Source
from synth.mechanisms.columns_first import PairAllocation
from synth.select.growth import grow
from synth.select.split import split

BESIDE = 0.4
"""What measuring a pair beside the tree is worth against one inside, which also informs the pairs around."""


def tree_first_prices(
    allocation: PairAllocation, source: Source, held: Sequence[Clique], *, cap: int
) -> list[tuple[Clique, float]]:
    """Pairs to measure with their prices, those of the best tree first; the last takes what is left. `held`:
    what every tree holds, as zeros and measured tables of more columns."""
    domain, sigmas, errors = allocation.coarsening.coarse, allocation.sigmas, allocation.errors
    inside = {r: allocation.costs(r, error) for r, error in errors.items()}
    outside = {r: allocation.costs(r, BESIDE * error) for r, error in errors.items()}
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
