"""Count inside a database, with one GROUP BY query per table of counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.blocks import Axes, blocks, summed
from synth.core.domain import CodeColumn
from synth.core.errors import Code
from synth.private.counting.engine import NO_GROUPS, Engine, Requested
from synth.private.sealed import sealed

if TYPE_CHECKING:
    import ibis

Rows = Callable[[Any], Sequence[tuple[Any, ...]]]
"""A function that runs a query on the table of codes and returns integers for every group of rows."""

CELLS = 1 << 14
"""Maximum number of cells in a block of columns. It limits the number of rows that a query returns."""

ROWS_A_CELL = 32
"""Minimum number of rows per cell of a block."""


class DatabaseEngine(Engine):
    """Counts a table of codes by queries to a database. No row leaves the database.

    The table has one integer column per column of codes. Several tables are counted by blocks of columns,
    with one GROUP BY per block, and then summed. Codes are grouped here, after counting.

    `codes` returns the current table and is called for every query, because the table may have moved since
    the last one. Raises: `Refusal` DATABASE_LOST for any database error.
    """

    sees_rows: ClassVar[bool] = False

    def __init__(self, rows: Rows, codes: Callable[[], ibis.Table]) -> None:
        self._rows, self._codes = rows, codes

    def counts(
        self, axes: Sequence[int], shape: Sequence[int], *, groups: Mapping[int, CodeColumn] = NO_GROUPS
    ) -> NDArray[np.int64]:
        counts = np.zeros(tuple(shape), dtype=np.int64)
        if not axes:
            return counts + self._number
        if not math.prod(shape):
            return counts
        found = self._counted(axes)
        cell = np.zeros(len(found), dtype=np.int64)
        for i, (axis, size) in enumerate(zip(axes, shape, strict=True)):
            codes = found[:, i]
            cell = cell * size + (groups[axis][codes] if axis in groups else codes)
        np.add.at(counts.reshape(-1), cell, found[:, -1])
        return counts

    def all_counts(
        self, requested: Sequence[Requested], *, groups: Mapping[int, CodeColumn] = NO_GROUPS
    ) -> list[NDArray[np.int64]]:
        cells = min(CELLS, self._number // ROWS_A_CELL)
        sizes = {axis: size for axes, shape in requested for axis, size in zip(axes, shape, strict=True)}
        wanted = [tuple(sorted(axes)) for axes, _ in requested]
        tables: dict[Axes, NDArray[np.int64]] = {(): self.counts((), ())}
        for block, cliques in blocks([c for c in wanted if c], sizes, cells=cells).items():
            table = self.counts(block, [sizes[axis] for axis in block], groups=groups)
            for clique in cliques:
                tables[clique] = summed(clique, block, table)
        return [
            tables[clique].transpose([clique.index(axis) for axis in axes]).copy()
            for clique, (axes, _) in zip(wanted, requested, strict=True)
        ]

    @cached_property
    def _number(self) -> int:
        """Return the number of rows.

        They are counted when a query is answered, and therefore after it was charged.
        """
        return int(self._counted(())[0, 0])

    @sealed(Code.DATABASE_LOST)
    def _counted(self, axes: Sequence[int]) -> NDArray[np.int64]:
        """Return the non-empty cells of these columns with their counts.

        Shapes: int64[cells, columns + 1].
        """
        names = [f"c{axis}" for axis in dict.fromkeys(axes)]
        codes = self._codes()
        number = {"n": codes.count()}
        counted = codes.group_by(names).aggregate(**number) if names else codes.aggregate(**number)
        found = np.array(self._rows(counted), dtype=np.int64).reshape(-1, len(names) + 1)
        places = [names.index(f"c{axis}") for axis in axes]
        return found[:, [*places, -1]]
