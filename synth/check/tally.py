"""The counts of a table that comes in blocks of rows: what the checks of one that fits no memory lean on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from synth.answers import coarsened
from synth.domain import Clique, Domain
from synth.model import Projectable
from synth.table import CodeTable

Axes = tuple[int, ...]
Groups = Mapping[str, Sequence[int]]
_Key = tuple[Clique, tuple[tuple[str, tuple[int, ...]], ...]]


class Counted(Projectable, Protocol):
    """A synthetic table by its counts."""

    @property
    def rows(self) -> int: ...

    def counts(self, clique: Sequence[str]) -> NDArray[np.int64]:
        """How many records fall in each cell. Shapes: int64[shape(clique)]."""
        ...


class Tally:
    """Sums of the tables of some blocks of columns, and every marginal within one of them (a `Counted`).

    `blocks` are rising positions of columns, each with the cliques that will be asked for, `coarse` cliques
    that are known in groups of codes alone; memory is that of the blocks' tables and of these. Errors:
    StopIteration for a clique that lies in no block.
    """

    def __init__(
        self,
        domain: Domain,
        blocks: Mapping[Axes, Sequence[Axes]],
        *,
        coarse: Iterable[tuple[Clique, Groups]] = (),
    ) -> None:
        self._domain, self._rows = domain, 0
        self._coarse = {_key(*one): one for one in coarse}
        self._coarse_tables: dict[_Key, NDArray[np.int64]] = {}
        self._tables = {block: np.zeros(tuple(domain.sizes[i] for i in block), np.int64) for block in blocks}
        self._home = {clique: block for block, cliques in blocks.items() for clique in cliques}

    @property
    def domain(self) -> Domain:
        return self._domain

    @property
    def rows(self) -> int:
        return self._rows

    def counted(self, block: CodeTable) -> list[NDArray[np.int64]]:
        """The tables of some rows, for `add`; several may be counted at once."""
        return [
            *(block.fresh_counts([self._domain.names[i] for i in axes]) for axes in self._tables),
            *(block.grouped(*one).astype(np.int64) for one in self._coarse.values()),
        ]

    def add(self, rows: int, tables: Sequence[NDArray[np.int64]]) -> None:
        """Take in what `counted` gave of so many rows."""
        self._rows += rows
        for table, more in zip(self._tables.values(), tables, strict=False):
            table += more
        for key, more in zip(self._coarse, tables[len(self._tables) :], strict=True):
            self._coarse_tables[key] = self._coarse_tables.get(key, 0) + more

    def counts(self, clique: Sequence[str]) -> NDArray[np.int64]:
        """How many records fall in each cell. Shapes: int64[shape(clique)]."""
        axes = self._domain.axes(clique)
        rising = tuple(sorted(axes))
        block = self._home.get(rising) or next(b for b in self._tables if set(rising) <= set(b))
        rest = tuple(place for place, axis in enumerate(block) if axis not in rising)
        table = self._tables[block].sum(axis=rest)
        return np.asarray(table.transpose([rising.index(axis) for axis in axes]))

    def grouped(self, clique: Clique, groups: Groups) -> NDArray[np.float64]:
        """`project` in groups of codes. Shapes: float64, one axis per column."""
        known = self._coarse_tables.get(_key(clique, groups))
        if known is not None:
            return known.astype(np.float64)
        return coarsened(self.project(clique), clique, groups)

    def project(self, clique: Clique) -> NDArray[np.float64]:
        """`counts` as floats."""
        return self.counts(clique).astype(np.float64)


def _key(clique: Sequence[str], groups: Groups) -> _Key:
    return tuple(clique), tuple((name, tuple(groups[name])) for name in clique if name in groups)
