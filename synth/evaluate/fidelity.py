"""The distance between the marginals of two tables. NOT PRIVATE when one of them is the real table.

The distance is the total variation distance of two normalised tables, 1/2 ||x - y||_1. It is computed for all
1- and 2-way marginals, for a fixed set of at most 300 3-way marginals, and, on request, for fixed sets of 4-
to 7-way marginals. The sets are fixed so that figures of different releases and tools can be compared.
Triples are numbered in the order of `itertools.combinations` over the columns of the domain, and
`default_rng(0)` draws 300 of them without replacement. Larger sets of columns are drawn in the same way. Each
table is divided by its number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.table import CodeTable

MOST_CLIQUES = 300
DENSE = 3_000_000
"""Maximum number of cells of a table that is counted densely. For larger tables, the occupied cells are
sorted.
"""


@dataclass(frozen=True, kw_only=True)
class Fidelity:
    """NOT PRIVATE. The total variation distance of each clique, by number of columns."""

    one: dict[Clique, float]
    two: dict[Clique, float]
    three: dict[Clique, float]

    @property
    def mean1(self) -> float:
        return _mean(self.one)

    @property
    def mean2(self) -> float:
        return _mean(self.two)

    @property
    def mean3(self) -> float:
        return _mean(self.three)


def _mean(distances: dict[Clique, float]) -> float:
    return float(np.mean(list(distances.values()))) if distances else 0.0


class Yardstick:
    """The real table, counted once and compared with any number of synthetic tables. NOT PRIVATE."""

    def __init__(self, real: CodeTable) -> None:
        """Raise ValueError for a table without rows."""
        if real.rows == 0:
            raise ValueError("fidelity needs at least one real row")
        self._real = real
        self._counted: dict[Clique, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}

    def fidelity(self, synthetic: CodeTable) -> Fidelity:
        """Return the distances of all cliques.

        Raises: ValueError for an empty synthetic table or a different domain.
        """
        if synthetic.domain != self._real.domain or synthetic.rows == 0:
            raise ValueError("fidelity compares two tables with rows over the same domain")
        names = self._real.domain.names
        return Fidelity(
            one={r: self.distance(synthetic, r) for r in combinations(names, 1)},
            two={r: self.distance(synthetic, r) for r in combinations(names, 2)},
            three={r: self.distance(synthetic, r) for r in fixed_cliques(self._real.domain, 3)},
        )

    def mean_of(self, synthetic: CodeTable, k: int) -> float:
        """Return the mean over the fixed k-way cliques. It is 0 if there are fewer than k columns."""
        return _mean({r: self.distance(synthetic, r) for r in fixed_cliques(self._real.domain, k)})

    def distance(self, synthetic: CodeTable, clique: Clique) -> float:
        """Return 1/2 ||x - y||_1 of one marginal.

        It is computed from the occupied cells of the real table and the total share of synthetic rows in
        other cells.
        """
        cells, real = self._occupied(clique)
        size = self._real.domain.size(clique)
        keys = synthetic.keys(clique)
        if size <= DENSE:
            there = np.bincount(keys, minlength=size)[cells]
        else:
            occupied, counts = np.unique(keys, return_counts=True)
            place = np.minimum(np.searchsorted(occupied, cells), len(occupied) - 1)
            there = np.where(occupied[place] == cells, counts[place], 0)
        share = there / synthetic.rows
        return max(0.0, float(0.5 * (np.abs(real - share).sum() + 1.0 - share.sum())))

    def _occupied(self, clique: Clique) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the non-empty cells of the real marginal, in ascending order, and their proportions of the
        rows.
        """
        if clique not in self._counted:
            cells, counts = np.unique(self._real.keys(clique), return_counts=True)
            self._counted[clique] = cells, counts / self._real.rows
        return self._counted[clique]


def fixed_cliques(domain: Domain, k: int) -> list[Clique]:
    """Return all k-way cliques, or a fixed set of 300 of them."""
    cliques: list[Clique] = list(combinations(domain.names, k))
    if len(cliques) <= MOST_CLIQUES:
        return cliques
    return [cliques[i] for i in np.random.default_rng(0).choice(len(cliques), MOST_CLIQUES, replace=False)]
