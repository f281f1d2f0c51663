"""Count a table block by block, for checks of tables that do not fit in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from synth.core.blocks import Axes, summed
from synth.core.domain import Clique, Domain, smallest_dtype
from synth.core.measurements.noisy import coarsened
from synth.core.model import Projectable
from synth.core.table import CodeTable

Groups = Mapping[str, Sequence[int]]
_Key = tuple[Clique, tuple[tuple[str, tuple[int, ...]], ...]]


class Counted(Projectable, Protocol):
    """The counts of a synthetic table."""

    @property
    def rows(self) -> int: ...

    def counts(self, clique: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of records in each cell. Shapes: int64[shape(clique)]."""
        ...


class Tally:
    """Counts of some cliques, summed over blocks of rows.

    Like a `Counted`, it returns every marginal inside one of these cliques. `blocks` are ascending positions
    of columns that are counted together, each with the cliques inside it whose tables are kept. `coarse` are
    cliques that are only counted in groups of codes. Only the kept tables use memory: 0.26 GB for the 124,750
    pairs of 500 columns, whose blocks would need 10 GB. Raises: StopIteration for a clique that is not inside
    a kept clique.
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
        self._blocks = {block: tuple(cliques) for block, cliques in blocks.items()}
        kept = [clique for cliques in blocks.values() for clique in cliques]
        self._tables: dict[Axes, NDArray[np.int64]] = {
            r: np.zeros(tuple(domain.sizes[i] for i in r), np.int64) for r in kept
        }

    @property
    def domain(self) -> Domain:
        return self._domain

    @property
    def rows(self) -> int:
        return self._rows

    def counted(self, block: CodeTable) -> list[NDArray[np.integer]]:
        """Return the tables of some rows, to be passed to `add`. Several threads may call this method at
        once.
        """
        kind, found = smallest_dtype(block.rows + 1), list[NDArray[np.integer]]()
        for axes, cliques in self._blocks.items():
            table = block.fresh_counts([self._domain.names[i] for i in axes])
            found += [summed(clique, axes, table).astype(kind) for clique in cliques]
        return [*found, *(block.grouped(*one).astype(np.int64) for one in self._coarse.values())]

    def add(self, rows: int, tables: Sequence[NDArray[np.integer]]) -> None:
        """Add the result of `counted` for this number of rows."""
        self._rows += rows
        for table, more in zip(self._tables.values(), tables, strict=False):
            np.add(table, more, out=table)
        for key, more in zip(self._coarse, tables[len(self._tables) :], strict=True):
            before = self._coarse_tables.get(key, 0)
            self._coarse_tables[key] = np.asarray(before + more, dtype=np.int64)

    def counts(self, clique: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of records in each cell. Shapes: int64[shape(clique)]."""
        axes = self._domain.axes(clique)
        rising = tuple(sorted(axes))
        kept = rising if rising in self._tables else next(r for r in self._tables if {*rising} <= {*r})
        table = summed(rising, kept, self._tables[kept])
        return table.transpose([rising.index(axis) for axis in axes]).copy()

    def grouped(self, clique: Clique, groups: Groups) -> NDArray[np.float64]:
        """Return the table of a clique, as from `project`, in groups of codes. Shapes: float64, one axis per
        column.
        """
        known = self._coarse_tables.get(_key(clique, groups))
        if known is not None:
            return known.astype(np.float64)
        return coarsened(self.project(clique), clique, groups)

    def project(self, clique: Clique) -> NDArray[np.float64]:
        """Return `counts` as floats."""
        return self.counts(clique).astype(np.float64)


def _key(clique: Sequence[str], groups: Groups) -> _Key:
    return tuple(clique), tuple((name, tuple(groups[name])) for name in clique if name in groups)
