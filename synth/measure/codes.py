"""The private table as small integers, and the one thing done with it: counting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from synth.axis import Grouping
from synth.domain import Domain
from synth.errors import Code, Refusal

LARGEST_TABLE = 1 << 31
"""Most cells of one counted table, 16 GiB of counts: larger ones are refused by shape, before counting."""

CACHED_CELLS = 1 << 23
ROWS_AT_A_TIME = 1 << 16


class Codes:
    """Rows as codes: one array of the smallest unsigned type per column. Neither shown nor pickled.

    `spans` are the numbers of codes the columns hold, by default those of the domain; a row whose code lies
    beyond the domain (a blank in a column declared never blank) is a row, and falls in no cell.
    """

    __slots__ = ("_cache", "_cached", "_columns", "_domain", "_spans")

    def __init__(
        self,
        columns: Sequence[NDArray[np.unsignedinteger[Any]]],
        domain: Domain,
        *,
        spans: Sequence[int] | None = None,
    ) -> None:
        self._columns, self._domain = tuple(columns), domain
        self._spans = domain.sizes if spans is None else tuple(spans)
        self._cache: dict[tuple[int, ...], NDArray[np.int64]] = {}
        self._cached = 0

    @classmethod
    def of(cls, array: NDArray[np.integer[Any]], domain: Domain) -> Codes:
        """An integer table, shape rows x columns, in the order of the domain.

        Raises: ValueError if the shape or a code does not fit the domain; no value is quoted.
        """
        if array.ndim != 2 or array.shape[1] != len(domain):
            raise ValueError("a table of codes needs one column per name of its domain")
        columns = []
        for j, size in enumerate(domain.sizes):
            column = array[:, j]
            if len(column) and (column.min() < 0 or column.max() >= size):
                raise ValueError("a code lies outside its domain")
            columns.append(np.ascontiguousarray(column, dtype=smallest_dtype(size)))
        return cls(columns, domain)

    def __repr__(self) -> str:
        return f"Codes(columns={len(self._columns)})"

    def __reduce__(self) -> NoReturn:
        raise Refusal(Code.QUESTION_INVALID)

    @property
    def domain(self) -> Domain:
        return self._domain

    @property
    def names(self) -> tuple[str, ...]:
        return self._domain.names

    @property
    def columns(self) -> tuple[NDArray[np.unsignedinteger[Any]], ...]:
        """The codes themselves, one array per column."""
        return self._columns

    @property
    def rows(self) -> int:
        """The exact number of rows: private."""
        return len(self._columns[0]) if self._columns else 0

    def counts(self, axes: Sequence[int]) -> NDArray[np.int64]:
        """The exact marginal of the columns at these positions; one ravel, one bincount.

        Shapes: int64[sizes of the axes], read-only. Raises: `Refusal` above `LARGEST_TABLE` cells.
        """
        key = tuple(axes)
        known = self._cache.get(key)
        if known is not None:
            return known
        shape = tuple(self._spans[i] for i in key)
        if math.prod(shape) > LARGEST_TABLE:
            raise Refusal(Code.QUESTION_INVALID)
        table = self._counted(key, shape).reshape(shape)
        table = np.ascontiguousarray(table[tuple(slice(self._domain.sizes[i]) for i in key)])
        table.setflags(write=False)
        if self._cached + table.size <= CACHED_CELLS:
            self._cache[key] = table
            self._cached += table.size
        return table

    def _counted(self, axes: tuple[int, ...], shape: tuple[int, ...]) -> NDArray[np.int64]:
        """Counts of all cells, some rows at a time, so that little memory is needed beside them."""
        if not axes:
            return np.array([self.rows])
        cells = math.prod(shape)
        rows = max(ROWS_AT_A_TIME, cells)
        counts = np.zeros(cells, dtype=np.int64)
        for start in range(0, self.rows, rows):
            block = slice(start, start + rows)
            cell = self._columns[axes[0]][block].astype(np.int64)
            for axis, size in zip(axes[1:], shape[1:], strict=True):
                cell *= size
                cell += self._columns[axis][block]
            counts += np.bincount(cell, minlength=cells)
        return counts

    def grouped(self, groupings: Sequence[Grouping]) -> Codes:
        """The same rows in coarser codes."""
        if not groupings:
            return self
        chosen = {g.column: g for g in groupings}
        columns, sizes, spans = [], [], []
        for name, size, span, column in zip(
            self.names, self._domain.sizes, self._spans, self._columns, strict=True
        ):
            beyond = span - size
            if name in chosen:
                size = chosen[name].size
                group_of = [*chosen[name].group_of, *range(size, size + beyond)]
                column = np.array(group_of, dtype=smallest_dtype(size + beyond))[column]
            columns.append(column)
            sizes.append(size)
            spans.append(size + beyond)
        return Codes(columns, Domain(self.names, tuple(sizes)), spans=spans)


def smallest_dtype(size: int) -> np.dtype[np.unsignedinteger[Any]]:
    """The smallest unsigned type that holds the codes 0 .. size-1."""
    return np.dtype(np.min_scalar_type(max(size - 1, 0)))
