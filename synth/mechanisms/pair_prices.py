"""What every pair of columns would be worth at every price, by a look at how far it is from independence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synth.domain import Clique
from synth.generate.coarse import Coarsening
from synth.junction import JunctionGraph
from synth.measure.source import Source
from synth.mechanisms.base import Problem
from synth.mechanisms.first_look import LEAST_SIGMAS, FirstLook, coarsened, independent
from synth.select.growth import grow
from synth.select.resolution import blur, width
from synth.select.split import shrunken_errors, sigma_grid, split
from synth.zeros import Zero

DOUBLINGS = 7
"""How often the least group may be doubled."""

NEARLY = 1.1
"""How good an estimate of an error is."""

OPTIMISM = 1.5
"""How much more than its average a cell may depart from independence, relative to its size."""

BESIDE = 0.4
"""What measuring a pair beside the tree is worth against one inside, which also informs the pairs around."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PairPrices:
    """What is known of the pairs when the rest of the budget is laid out: all of it public.

    `errors` are the noisy distances from `expected`, the counts under independence; `widths` say how coarsely
    each column in order is counted (`resolution.width`); `typical` is the sigma of a pair at an even price.
    """

    coarsening: Coarsening
    weights: Mapping[Clique, float]
    errors: Mapping[Clique, float]
    expected: Mapping[Clique, NDArray[np.float64]]
    widths: Mapping[str, float]
    total: float
    typical: float

    def least_error(self, source: Source) -> float:
        """The error that is left if every pair may be measured as well as is worth it."""
        costs = np.array([self._costs(r, e, lost=self._lost(r, e)) for r, e in self.errors.items()])
        return split(costs, self._sigmas, rho=source.left.rho, price=source.terms.rho_for)[1]

    def prices(self, source: Source, zeros: Sequence[Zero], *, cap: int) -> list[tuple[Clique, float]]:
        """Pairs to measure with their prices, those of the best tree first; the last takes what is left."""
        domain, sigmas = self.coarsening.coarse, self._sigmas
        inside = {r: self._costs(r, error) for r, error in self.errors.items()}
        outside = {r: self._costs(r, BESIDE * error) for r, error in self.errors.items()}
        middle = len(sigmas) // 2
        values = {r: inside[r][-1] - inside[r][middle] for r in self.errors}
        best: tuple[float, list[Clique], list[float]] | None = None
        start = JunctionGraph.of(domain, [z.clique for z in zeros])
        for tree in grow(domain, values, cap=cap, start=start):
            pairs = [*tree, *(r for r in self.errors if r not in set(tree))]
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

    @cached_property
    def _sigmas(self) -> NDArray[np.float64]:
        return sigma_grid(self.typical)

    def _lost(self, r: Clique, error: float) -> float:
        """What the pair's groups cannot show of it, in counts."""
        strength = min(1.0, error / self.total / 2)
        return 2 * self.total * blur(strength, self.widths[r[0]], self.widths[r[1]])

    def _costs(self, r: Clique, error: float, *, lost: float = 0.0) -> NDArray[np.float64]:
        """Expected error of a pair at every sigma; at the last, unmeasured, it is as far off as it was."""
        strength = min(1.0, error / self.total) * OPTIMISM
        noisy = shrunken_errors(self.expected[r], strength, self._sigmas)
        costs = np.minimum(noisy + lost, error)
        costs[-1] = error
        return self.weights[r] * costs


def best_pair_prices(
    source: Source, problem: Problem, look: FirstLook, *, errors: Mapping[Clique, float]
) -> PairPrices:
    """The pairs in the shortest runs whose expected error is nearly the least: what is lost in a run cannot
    be won back. Heaps stay small, since they lose all. `errors`: how far each pair is from independence."""
    found: list[PairPrices] = []
    costs: list[float] = []
    for doublings in range(DOUBLINGS + 1):
        heaps = LEAST_SIGMAS * look.typical
        runs = heaps * 2**doublings
        coarsening = coarsened(source.domain, look.columns, problem, runs=runs, heaps=heaps)
        if found and coarsening.groupings == found[-1].coarsening.groupings:
            continue
        prices = PairPrices(
            coarsening=coarsening,
            weights=look.weights,
            errors=errors,
            expected=independent(coarsening, look.columns, tuple(look.weights), look.total),
            widths={
                name: width(coarsening.by_column.get(name)) if name in problem.ordered else 0.0
                for name in source.domain.names
            },
            total=look.total,
            typical=look.typical,
        )
        found.append(prices)
        costs.append(prices.least_error(source))
    return next(p for p, cost in zip(found, costs, strict=True) if cost <= NEARLY * min(costs))
