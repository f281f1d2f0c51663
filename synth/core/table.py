"""Define tables of encoded rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from synth.core.blocks import Axes, blocks, summed
from synth.core.domain import Clique, CodeColumn, Domain, smallest_dtype
from synth.core.measurements.noisy import coarsened
from synth.core.model import Projectable

KEPT_CELLS = 1 << 23
"""Default maximum number of cells in cached counts.

A marginal with more cells is not computed in full if coarser codes are sufficient.
"""

SMALL_CELLS = (1 << 16) - 1
"""Maximum number of cells in a table that is counted in batches of rows, so that the counts stay in the CPU
cache. Larger tables are counted in one pass.
"""

ROWS_AT_A_TIME = 1 << 16

ROWS_A_CELL = 8
"""Minimum number of rows per cell of columns that are counted together. Summing a cell takes about as long as
counting a row.
"""


@runtime_checkable
class Groupable(Protocol):
    """An object that can compute a marginal in coarser codes without the full table in the domain's codes."""

    def grouped(self, clique: Clique, groups: Mapping[str, Sequence[int]]) -> NDArray[np.float64]: ...


@dataclass(frozen=True, eq=False)
class CodeTable:
    """Rows as integer codes over a domain, a `Projectable`. The codes never change.

    Shapes: `codes: int[rows, len(domain)]`, where column i has codes 0 .. domain.sizes[i]-1. `room` is the
    maximum number of cells of cached counts, at 8 bytes each. Raises: ValueError if the number of columns is
    wrong or a code is outside its column's range.
    """

    domain: Domain
    codes: NDArray[np.integer]
    room: int = KEPT_CELLS
    _columns: tuple[CodeColumn, ...] = field(init=False, repr=False)
    _kept: dict[Axes, NDArray[np.int64]] = field(init=False, repr=False, default_factory=dict)
    _kept_cells: list[int] = field(init=False, repr=False, default_factory=lambda: [0])

    def __post_init__(self) -> None:
        if self.codes.ndim != 2 or self.codes.shape[1] != len(self.domain):
            raise ValueError("a table of codes needs one column per name of its domain")
        for column, size in zip(self.codes.T, self.domain.sizes, strict=True):
            if len(column) and not (column.min() >= 0 and column.max() < size):
                raise ValueError("a code is outside its column's range")
        columns = (
            np.ascontiguousarray(column, dtype=smallest_dtype(size))
            for column, size in zip(self.codes.T, self.domain.sizes, strict=True)
        )
        object.__setattr__(self, "_columns", tuple(columns))

    @property
    def rows(self) -> int:
        return len(self.codes)

    def keys(self, clique: Sequence[str]) -> NDArray[np.int64]:
        """Return the cell of each row in the clique's table (C order). Shapes: int64[rows]."""
        axes = self.domain.axes(clique)
        key = self._columns[axes[0]].astype(np.int64) if axes else np.zeros(self.rows, dtype=np.int64)
        for axis in axes[1:]:
            key = key * self.domain.sizes[axis] + self._columns[axis]
        return key

    def counts(self, clique: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of rows in each cell of the clique's table. Shapes: int64[shape(clique)]."""
        axes = self.domain.axes(clique)
        held = self._kept.get(axes)
        if held is not None:
            return held.copy()
        table = self.fresh_counts(clique)
        if self._kept_cells[0] + table.size > self.room:
            return table
        self._kept[axes] = table
        self._kept_cells[0] += table.size
        return table.copy()

    def count_ahead(self, cliques: Iterable[Clique]) -> None:
        """Count and cache the small ones of many cliques, as far as the cache allows.

        Several columns are counted together, and their table is summed to the tables of the cliques. For many
        rows, this takes less than half of the time of separate counts. Cliques that are not in the order of
        the domain are skipped.
        """
        most, wanted = min(SMALL_CELLS, self.rows // ROWS_A_CELL), dict[Axes, None]()
        for clique in cliques:
            axes, cells = self.domain.axes(clique), self.domain.size(clique)
            is_new = axes not in self._kept and axes not in wanted
            is_small = cells <= min(most, self.room - self._kept_cells[0])
            if axes and is_new and is_small and list(axes) == sorted(axes):
                wanted[axes] = None
                self._kept_cells[0] += cells
        for block, held in blocks([*wanted], dict(enumerate(self.domain.sizes)), cells=most).items():
            table = self.fresh_counts([self.domain.names[axis] for axis in block])
            self._kept.update({axes: summed(axes, block, table) for axes in held})

    def fresh_counts(self, clique: Sequence[str]) -> NDArray[np.int64]:
        """Return the same counts without caching them."""
        axes, cells = self.domain.axes(clique), self.domain.size(clique)
        if axes and cells <= SMALL_CELLS:
            table = self._small(axes, cells)
        else:
            table = np.bincount(self.keys(clique), minlength=cells)
        return table.reshape(self.domain.shape(clique))

    def grouped(self, clique: Clique, groups: Mapping[str, Sequence[int]]) -> NDArray[np.float64]:
        """Return the result of `project` in coarser codes of some columns. Shapes: float64, one axis per
        column.

        The full table is not computed if it has more than `KEPT_CELLS` cells.
        """
        if self.domain.size(clique) <= KEPT_CELLS:
            return coarsened(self.project(clique), clique, groups)
        key, shape = np.zeros(self.rows, dtype=np.int64), list[int]()
        for name, axis in zip(clique, self.domain.axes(clique), strict=True):
            codes, size = self._columns[axis].astype(np.intp), self.domain.sizes[axis]
            if name in groups:
                codes, size = np.asarray(groups[name], dtype=np.intp)[codes], max(groups[name]) + 1
            key = key * size + codes
            shape.append(size)
        return np.bincount(key, minlength=math.prod(shape)).reshape(shape).astype(np.float64)

    def project(self, clique: Sequence[str]) -> NDArray[np.float64]:
        """Return `counts` as floats, which every `Projectable` supports."""
        return self.counts(clique).astype(np.float64)

    def _small(self, axes: Sequence[int], cells: int) -> NDArray[np.int64]:
        """Return the counts of a small table. Shapes: int64[cells]."""
        kind = smallest_dtype(cells + 1)
        table = np.zeros(cells, dtype=np.int64)
        for start in range(0, self.rows, ROWS_AT_A_TIME):
            part = slice(start, start + ROWS_AT_A_TIME)
            cell = self._columns[axes[0]][part].astype(kind)
            for axis in axes[1:]:
                cell *= kind.type(self.domain.sizes[axis])
                np.add(cell, self._columns[axis][part], out=cell, dtype=kind, casting="unsafe")
            table += np.bincount(cell, minlength=cells)
        return table


def in_groups(table: Projectable, clique: Clique, groups: Mapping[str, Sequence[int]]) -> NDArray[np.float64]:
    """Return the counts of a clique in coarser codes. Shapes: float64, one axis per column."""
    if any(name in groups for name in clique) and isinstance(table, Groupable):
        return table.grouped(clique, groups)
    return coarsened(table.project(clique), clique, groups)
