"""Store a private table as small integers, and count it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Grouping
from synth.core.domain import CodeColumn, Domain, smallest_dtype
from synth.core.errors import Code, Refusal
from synth.private.counting import DEFAULT, ENGINES
from synth.private.counting.engine import NO_GROUPS, Engine
from synth.private.sealed import Hidden

LARGEST_TABLE = 1 << 31
"""Maximum number of cells in a counted table (16 GiB of counts). A larger table is refused before it is
counted.
"""

CACHED_CELLS = 1 << 23


class Codes(Hidden):
    """Rows as codes: one array of the smallest unsigned type per column. It has an empty `repr` and cannot be
    pickled.

    `spans` contains the number of codes of each column; the default comes from the domain. A row with a code
    outside the domain (a blank in a column declared as never blank) counts as a row but is in no cell.
    `engine` stores and counts exactly these columns; None selects the default engine. `groups` maps the
    position of a column to the group of each of its codes. `unfit` counts the cells of the column at a
    position that do not fit the declaration, by code and reason.

    Shapes: every column unsigned[rows]; `groups[axis]: unsigned[codes of the column]`; `unfit(axis)`:
    int64[codes of the column, reasons].
    """

    __slots__ = ("_cache", "_cached", "_columns", "_domain", "_engine", "_groups", "_spans", "_unfit")

    def __init__(
        self,
        columns: Sequence[CodeColumn],
        domain: Domain,
        *,
        spans: Sequence[int] | None = None,
        engine: Engine | None = None,
        groups: Mapping[int, CodeColumn] = NO_GROUPS,
        unfit: Callable[[int], NDArray[np.int64]] | None = None,
    ) -> None:
        self._columns, self._domain, self._groups = tuple(columns), domain, groups
        self._unfit = unfit
        self._spans = domain.sizes if spans is None else tuple(spans)
        self._engine = ENGINES[DEFAULT](self._columns) if engine is None else engine
        self._cache: dict[tuple[Any, ...], NDArray[np.int64]] = {}
        self._cached = 0

    @classmethod
    def of(cls, array: NDArray[np.integer[Any]], domain: Domain) -> Codes:
        """Return the codes of an integer table, shape rows x columns, in the order of the domain.

        Raises: ValueError if the shape or a code does not fit the domain; the message quotes no value.
        """
        if array.ndim != 2 or array.shape[1] != len(domain):
            raise ValueError("a table of codes needs one column per name of its domain")
        columns = []
        for j, size in enumerate(domain.sizes):
            column = array[:, j]
            if len(column) and (column.min() < 0 or column.max() >= size):
                raise ValueError("a code is outside its domain")
            columns.append(np.ascontiguousarray(column, dtype=smallest_dtype(size)))
        return cls(columns, domain)

    @property
    def sees_rows(self) -> bool:
        """Whether rows are available, and not only counts."""
        return self._engine.sees_rows

    @property
    def domain(self) -> Domain:
        return self._domain

    @property
    def names(self) -> tuple[str, ...]:
        return self._domain.names

    @property
    def columns(self) -> tuple[CodeColumn, ...]:
        """Return the codes of all columns. Shapes: each unsigned[rows]. Raises: as `column`."""
        return tuple(map(self.column, range(len(self._domain))))

    def column(self, axis: int) -> CodeColumn:
        """Return the codes of the column at this position. Shapes: unsigned[rows].

        Raises: `Refusal` ROWS_ELSEWHERE if only counts are available.
        """
        if not self.sees_rows:
            raise Refusal(Code.ROWS_ELSEWHERE)
        held = self._columns[axis]
        return self._groups[axis][held] if axis in self._groups else held

    @property
    def rows(self) -> int:
        """Return the exact number of rows, which is private."""
        if not self.sees_rows:
            return int(self.counts(()))
        return len(self._columns[0]) if self._columns else 0

    def counts(
        self, axes: Sequence[int], groups: Mapping[str, Sequence[int]] = NO_GROUPS
    ) -> NDArray[np.int64]:
        """Return the exact marginal of the columns at these positions.

        `groups` contains the group of each code for columns that are counted in coarser codes, as in
        `Grouping.group_of`.

        Shapes: int64[one size per axis, or its number of groups], read-only. Raises: `Refusal` QUERY_INVALID
        for more than `LARGEST_TABLE` cells, or if the groups do not match the number of codes.
        """
        requested = {i: tuple(groups[self.names[i]]) for i in axes if self.names[i] in groups}
        key = tuple(axes), tuple(requested.items())
        cached = self._cache.get(key)
        if cached is not None:
            return cached
        sizes, spans, all_groups = self._coarse(requested)
        table = self._engine.counts(key[0], _shape(key[0], spans), groups=all_groups)
        return self._kept(key, table, sizes)

    def all_counts(self, cliques: Sequence[Sequence[int]]) -> list[NDArray[np.int64]]:
        """Return the `counts` of several cliques, with as few passes over the rows as the engine needs.

        Raises: as `counts`.
        """
        keys = [(tuple(axes), ()) for axes in cliques]
        fresh = [key for key in dict.fromkeys(keys) if key not in self._cache]
        requested = [(axes, _shape(axes, self._spans)) for axes, _ in fresh]
        counted = self._engine.all_counts(requested, groups=self._groups)
        made = {k: self._kept(k, t, self._domain.sizes) for k, t in zip(fresh, counted, strict=True)}
        return [made[key] if key in made else self._cache[key] for key in keys]

    def _kept(
        self, key: tuple[Any, ...], table: NDArray[np.int64], sizes: Sequence[int]
    ) -> NDArray[np.int64]:
        """Return a counted table without the codes outside the domain.

        The table is read-only and is cached if there is space.
        """
        table = np.asarray(table[tuple(slice(sizes[i]) for i in key[0])], order="C")
        table.setflags(write=False)
        if self._cached + table.size <= CACHED_CELLS:
            self._cache[key] = table
            self._cached += table.size
        return table

    def grouped(self, groupings: Sequence[Grouping]) -> Codes:
        """Return the same rows in coarser codes, counted by the same engine.

        Raises: `Refusal` QUERY_INVALID if a column is missing or has a different number of codes.
        """
        if not groupings:
            return self
        if any(g.column not in self._domain for g in groupings):
            raise Refusal(Code.QUERY_INVALID)
        sizes, spans, groups = self._coarse({self._domain.axis(g.column): g.group_of for g in groupings})
        domain = Domain(self.names, tuple(sizes))
        return Codes(
            self._columns, domain, spans=spans, engine=self._engine, groups=groups, unfit=self._unfit
        )

    def unfit(self, axis: int) -> NDArray[np.int64]:
        """Return the exact number of cells that do not fit the declaration, by code and reason.

        Codes outside the domain are included. Shapes: int64[number of codes, reasons]. Raises: `Refusal`
        QUERY_INVALID if the reasons are not known.
        """
        if self._unfit is None:
            raise Refusal(Code.QUERY_INVALID)
        found = self._unfit(axis)
        if axis not in self._groups:
            return found
        counts = np.zeros((self._spans[axis], found.shape[1]), dtype=np.int64)
        np.add.at(counts, self._groups[axis].astype(np.intp), found)
        return counts

    def _coarse(
        self, requested: Mapping[int, Sequence[int]]
    ) -> tuple[list[int], list[int], dict[int, CodeColumn]]:
        """Return the sizes, spans and groups of all columns when these columns are requested in groups.

        Codes outside the domain form one additional group after the others.
        """
        sizes, spans, groups = list(self._domain.sizes), list(self._spans), dict(self._groups)
        for axis, group_of in requested.items():
            if sizes[axis] != len(group_of):
                raise Refusal(Code.QUERY_INVALID)
            beyond = spans[axis] - sizes[axis]
            sizes[axis] = max(group_of) + 1
            spans[axis] = sizes[axis] + beyond
            own = range(sizes[axis], spans[axis])
            coarse = np.array([*group_of, *own], dtype=smallest_dtype(spans[axis]))
            groups[axis] = coarse[groups[axis]] if axis in groups else coarse
        return sizes, spans, groups


def _shape(axes: Sequence[int], spans: Sequence[int]) -> tuple[int, ...]:
    """Return the shape of a table. Raises: `Refusal` QUERY_INVALID for more than `LARGEST_TABLE` cells."""
    shape = tuple(spans[i] for i in axes)
    if math.prod(shape) > LARGEST_TABLE:
        raise Refusal(Code.QUERY_INVALID)
    return shape
