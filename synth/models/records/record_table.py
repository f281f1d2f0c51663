"""Tables of records as models. They are the result of generators that search for records or fit weights of
records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.options import option
from synth.models.base import Projected
from synth.models.coarse import Coarsening, OverGroups

MOST, FEWEST = 100_000, 2_000
"""Maximum number of records, and minimum number unless fewer are requested. With at least a few thousand
records, a cell can represent a fraction of a record of a smaller table.
"""


def records_option(verb: str, *, label: str = "Records") -> Any:
    """Return the option for the number of records, where 0 means `count_of`."""
    text = f"Number of records that are {verb}. 0 means one per row, at most 100,000."
    return option(0, label=label, help=text, low=0, high=MOST)


def count_of(wanted: int, total: float) -> int:
    """Return the requested number of records, or the estimated number of records within limits."""
    return wanted or min(MOST, max(FEWEST, round(total)))


def cells_of(codes: NDArray[np.int64], axes: Sequence[int], shape: Sequence[int]) -> NDArray[np.int64]:
    """Return the cell of each record in a table of some columns. Shapes: int64[records]."""
    cells = np.zeros(len(codes), dtype=np.int64)
    for i, size in zip(axes, shape, strict=True):
        cells = cells * size + codes[:, i]
    return cells


@dataclass(frozen=True, eq=False)
class RecordTable(OverGroups):
    """Records of equal weight in coarser codes (a `model.Model`). Shapes: `codes` int64[records, columns]."""

    coarsening: Coarsening
    total: float
    codes: NDArray[np.int64]
    converged: bool

    @property
    def cliques(self) -> tuple[Clique, ...]:
        """One clique of all columns, because a table of records can represent any relation."""
        return (self.domain.names,)

    @property
    def cells(self) -> int:
        """The number of stored codes."""
        return self.codes.size

    def project(self, clique: Clique) -> NDArray[np.float64]:
        """Return the number of records in every cell, scaled to the total. Shapes: float64[shape(clique)]."""
        domain = self.coarsening.coarse
        shape = domain.shape(clique)
        cells = cells_of(self.codes, domain.axes(clique), shape)
        held = np.bincount(cells, minlength=domain.size(clique)).reshape(shape).astype(np.float64)
        return self.coarsening.spread(held * (self.total / len(self.codes)), clique)

    def sample(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw every record the same number of times. The remaining records are drawn at equal distances in
        the order of their codes, so that the counts of cells are proportional to their numbers of records.
        Shapes: int64[rows, len(domain)].
        """
        n = len(self.codes)
        ranked = np.lexsort(self.codes.T[::-1])
        places = np.floor((np.arange(rows % n) + rng.random()) * n / max(rows % n, 1)).astype(np.int64)
        chosen = np.concatenate([np.tile(np.arange(n), rows // n), ranked[np.minimum(places, n - 1)]])
        return self.coarsening.refine(self.codes[rng.permutation(chosen)], rng)


@dataclass(frozen=True, eq=False)
class WeightedRecords(Projected):
    """Distinct records and their weights (a `model.Model`).

    Shapes: `codes` int64[records, len(domain)]. `weights` float64[records], non-negative, which sum to
    `total`.
    """

    domain: Domain
    total: float
    codes: NDArray[np.int64]
    weights: NDArray[np.float64]
    converged: bool = True

    @property
    def cliques(self) -> tuple[Clique, ...]:
        """One clique of all columns, because records can represent any relation."""
        return (self.domain.names,)

    @property
    def cells(self) -> int:
        """The number of stored codes and weights."""
        return self.codes.size + self.weights.size

    def project(self, clique: Clique) -> NDArray[np.float64]:
        """Return the summed weights of the records in every cell. Shapes: float64[shape(clique)]."""
        shape = self.domain.shape(clique)
        cells = cells_of(self.codes, self.domain.axes(clique), shape)
        held = np.bincount(cells, weights=self.weights, minlength=self.domain.size(clique))
        return np.asarray(held, dtype=np.float64).reshape(shape)

    def sample(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw records at equal distances in the order of their codes, so that the counts of cells are
        proportional to their weights. Shapes: int64[rows, len(domain)].
        """
        ranked = np.lexsort(self.codes.T[::-1])
        ends = np.cumsum(self.weights[ranked])
        places = (np.arange(rows) + rng.random()) * (ends[-1] / max(rows, 1))
        chosen = np.minimum(np.searchsorted(ends, places, side="right"), len(ends) - 1)
        return self.codes[rng.permutation(ranked[chosen])]
