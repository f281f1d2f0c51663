"""Count inside a database: every table of counts is one GROUP BY."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.blocks import Axes, blocks
from synth.core.domain import CodeColumn
from synth.core.errors import Code
from synth.private.counting.engine import NO_GROUPS, Engine, Requested
from synth.private.sealed import sealed

if TYPE_CHECKING:
    import ibis

Rows = Callable[[Any], Sequence[tuple[Any, ...]]]
"""The result of a query on the table of codes: integers for every group of rows."""

CELLS = 1 << 14
"""Largest number of cells of a block of columns, which limits the number of returned rows."""

ROWS_A_CELL = 32
"""Minimum number of rows per cell of a block."""


class DatabaseEngine(Engine):
    """Counts a table of codes, with one integer column each, by queries to a database; no row leaves the
    database.

    Several tables are counted by blocks of columns, with a GROUP BY each, and then summed. Codes are grouped
    here, after counting.

    `codes` returns the current table for every query, because it may be stored in another place by then.
    Raises: `Refusal` DATABASE_LOST for every error of the database.
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
                others = tuple(i for i, axis in enumerate(block) if axis not in clique)
                tables[clique] = table.sum(axis=others)
        return [
            tables[clique].transpose([clique.index(axis) for axis in axes]).copy()
            for clique, (axes, _) in zip(wanted, requested, strict=True)
        ]

    @cached_property
    def _number(self) -> int:
        """The number of rows, which is counted when a query is answered, and therefore after it was
        charged.
        """
        return int(self._counted(())[0, 0])

    @sealed(Code.DATABASE_LOST)
    def _counted(self, axes: Sequence[int]) -> NDArray[np.int64]:
        """Return the non-empty cells of these columns with their counts. Shapes: int64[cells, columns +
        1].
        """
        names = [f"c{axis}" for axis in dict.fromkeys(axes)]
        codes = self._codes()
        number = {"n": codes.count()}
        counted = codes.group_by(names).aggregate(**number) if names else codes.aggregate(**number)
        found = np.array(self._rows(counted), dtype=np.int64).reshape(-1, len(names) + 1)
        places = [names.index(f"c{axis}") for axis in axes]
        return found[:, [*places, -1]]
