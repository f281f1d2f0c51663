"""A table of codes: the plainest thing that has marginals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from synth.domain import Domain


@dataclass(frozen=True, eq=False)
class CodeTable:
    """Records as integer codes over a domain; a `Projectable`.

    Shapes: `codes: int[rows, len(domain)]`, column i holding 0 .. domain.sizes[i]-1.
    Errors: ValueError for a wrong number of columns or a code outside its column's range.
    """

    domain: Domain
    codes: NDArray[np.integer]
    _columns: tuple[NDArray[np.int64], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.codes.ndim != 2 or self.codes.shape[1] != len(self.domain):
            raise ValueError("a table of codes needs one column per name of its domain")
        columns = tuple(np.ascontiguousarray(column, dtype=np.int64) for column in self.codes.T)
        for column, size in zip(columns, self.domain.sizes, strict=True):
            if len(column) and not (column.min() >= 0 and column.max() < size):
                raise ValueError("a code lies outside its column's range")
        object.__setattr__(self, "_columns", columns)

    @property
    def rows(self) -> int:
        return len(self.codes)

    def keys(self, clique: Sequence[str]) -> NDArray[np.int64]:
        """The number of each record's cell in the clique's table (C order). Shapes: int64[rows]."""
        axes = self.domain.axes(clique)
        key = self._columns[axes[0]] if axes else np.zeros(self.rows, dtype=np.int64)
        for axis in axes[1:]:
            key = key * self.domain.sizes[axis] + self._columns[axis]
        return key

    def counts(self, clique: Sequence[str]) -> NDArray[np.int64]:
        """How many records fall in each cell. Shapes: int64[shape(clique)]."""
        flat = np.bincount(self.keys(clique), minlength=self.domain.size(clique))
        return flat.reshape(self.domain.shape(clique))

    def project(self, clique: Sequence[str]) -> NDArray[np.float64]:
        """`counts` as floats, as every `Projectable` gives them."""
        return self.counts(clique).astype(np.float64)
