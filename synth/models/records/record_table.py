"""Records as a model: what generators that search among tables of records come to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.models.coarse import Coarsening

MOST, FEWEST = 100_000, 2_000
"""Records at the most and, unless asked for fewer, at the least: of a few thousand, a cell can hold a part of
a record of a smaller table."""


@dataclass(frozen=True, eq=False)
class RecordTable:
    """Records of equal weight in coarse codes (a `model.Model`). Shapes: `codes`: int64[records,
    columns]."""

    coarsening: Coarsening
    total: float
    codes: NDArray[np.int64]
    converged: bool

    @property
    def domain(self) -> Domain:
        return self.coarsening.domain

    @property
    def cliques(self) -> tuple[Clique, ...]:
        """All columns at once: a table of records can hold any relation."""
        return (self.domain.names,)

    @property
    def cells(self) -> int:
        """Codes held."""
        return self.codes.size

    def project(self, clique: Clique) -> NDArray[np.float64]:
        """Records in every cell, scaled to the total. Shapes: float64[shape(clique)]."""
        domain = self.coarsening.coarse
        shape = domain.shape(clique)
        cells = np.zeros(len(self.codes), dtype=np.int64)
        for i, size in zip(domain.axes(clique), shape, strict=True):
            cells = cells * size + self.codes[:, i]
        held = np.bincount(cells, minlength=domain.size(clique)).reshape(shape).astype(np.float64)
        return self.coarsening.spread(held * (self.total / len(self.codes)), clique)

    def project_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        """Counts of many cliques."""
        return [self.project(clique) for clique in cliques]

    def sample(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Every record equally often, and the rest at equal distances in the order of their codes, so that
        cells come as often as records are in them. Shapes: int64[rows, len(domain)]."""
        n = len(self.codes)
        ranked = np.lexsort(self.codes.T[::-1])
        places = np.floor((np.arange(rows % n) + rng.random()) * n / max(rows % n, 1)).astype(np.int64)
        chosen = np.concatenate([np.tile(np.arange(n), rows // n), ranked[np.minimum(places, n - 1)]])
        return self.coarsening.refine(self.codes[rng.permutation(chosen)], rng)
