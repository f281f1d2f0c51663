"""Columns that are in only one table are removed before a search, and drawn given the other columns at its
end.

Source: the authors' code of PrivSyn (Zhang et al., USENIX Security 2021), which removes columns of degree one
layer by layer. A column in only one table is determined by this table: it can be drawn from its conditional
distribution given the table's other columns, so the search need not include it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.models.estimates.consistency import Table, margin
from synth.models.estimates.rounding import draw_columns

UNSEEN = 1e-9
"""Weight of an empty cell relative to the one-way distribution of the column, because records may be in an
empty cell.
"""


@dataclass(frozen=True, eq=False)
class Appended:
    """A removed column, and the only table that contains it. Shapes: float64[shape(clique)]."""

    column: str
    clique: Clique
    table: Table


def peeled(
    tables: Mapping[Clique, Table], *, kept: Collection[str]
) -> tuple[dict[Clique, Table], tuple[Appended, ...]]:
    """Repeatedly remove columns that are in only one table. Return the remaining tables, and the removed
    columns in the order of removal.

    At least one table of several columns remains, and so do the columns in `kept`.
    """
    core, taken = dict(tables), list[Appended]()
    while True:
        wide = [r for r in core if len(r) > 1]
        degree = Counter(name for r in wide for name in r)
        found = next(((r, name) for r in wide for name in r if degree[name] == 1 and name not in kept), None)
        if found is None or len(wide) < 2:
            return core, tuple(taken)
        clique, name = found
        table = core.pop(clique)
        taken.append(Appended(name, clique, table))
        rest = tuple(other for other in clique if other != name)
        if not any(set(rest) <= set(r) for r in core):
            core[rest] = margin(table, clique, rest)


def append(
    records: NDArray[np.int32], domain: Domain, taken: Sequence[Appended], rng: np.random.Generator
) -> None:
    """Draw the removed columns in reverse order of removal. `records` is modified in place. Shapes:
    int32[columns, records].
    """
    for own in reversed(taken):
        place = own.clique.index(own.column)
        parents = [
            records[i].astype(np.int64) for i in domain.axes(own.clique) if i != domain.axis(own.column)
        ]
        table = np.moveaxis(own.table, place, -1)
        table = table + UNSEEN * table.sum(axis=tuple(range(table.ndim - 1)))
        (drawn,) = draw_columns(table, parents, records.shape[1], rng=rng)
        records[domain.axis(own.column)] = drawn
