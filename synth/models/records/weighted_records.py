"""Different records with weights as a model: what answers say of records that were thought of beforehand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain


@dataclass(frozen=True, eq=False)
class WeightedRecords:
    """Records and how many of the table each stands for (a `model.Model`).

    Shapes: `codes` int64[records, len(domain)]; `weights` float64[records], at least 0, which sum to `total`.
    """

    domain: Domain
    total: float
    codes: NDArray[np.int64]
    weights: NDArray[np.float64]
    converged: bool = True

    @property
    def cliques(self) -> tuple[Clique, ...]:
        """All columns at once: records can hold any relation."""
        return (self.domain.names,)

    @property
    def cells(self) -> int:
        """Codes and weights held."""
        return self.codes.size + self.weights.size

    def project(self, clique: Clique) -> NDArray[np.float64]:
        """The weight in every cell. Shapes: float64[shape(clique)]."""
        shape = self.domain.shape(clique)
        cells = np.zeros(len(self.codes), dtype=np.int64)
        for i, size in zip(self.domain.axes(clique), shape, strict=True):
            cells = cells * size + self.codes[:, i]
        held = np.bincount(cells, weights=self.weights, minlength=self.domain.size(clique))
        return np.asarray(held, dtype=np.float64).reshape(shape)

    def project_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        """Counts of many cliques."""
        return [self.project(clique) for clique in cliques]

    def sample(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Records at equal distances in the order of their codes, so that cells come as often as they weigh.
        Shapes: int64[rows, len(domain)]."""
        ranked = np.lexsort(self.codes.T[::-1])
        ends = np.cumsum(self.weights[ranked])
        places = (np.arange(rows) + rng.random()) * (ends[-1] / max(rows, 1))
        chosen = np.minimum(np.searchsorted(ends, places, side="right"), len(ends) - 1)
        return self.codes[rng.permutation(ranked[chosen])]
