"""Invented tables that methods are replayed on, their neighbours, and other declarations for them.

They are public. One code occurs in a single row and one in none, to detect a method that learns its codes
from the rows. If only a few neighbours are tried, their extra or missing rows cover every code of every
column, and every pair of codes of the first two columns. If neighbours are cheap, there is one for every
cell.

`MIXED` has columns of two to six codes. `YES_NO` has two codes per column, for which methods may ask other
queries (`queries.Interaction`), and a relation of three columns that no pair shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

RARE = 7
"""Position of the only row with a table's rarest code."""

Rows = NDArray[np.int64]
Row = tuple[int, ...]
REMOVED, ADDED, EXCHANGED = "removed", "added", "exchanged"


@dataclass(frozen=True, eq=False, kw_only=True)
class Neighbour:
    """A table that differs by the rows of one unit; `how` is the change, `told` the change in words."""

    how: str
    told: str
    rows: Rows


@dataclass(frozen=True, eq=False, kw_only=True)
class GateTable:
    """A table with its declaration. Shapes: rows int64[n, columns].

    `covering` has the row of every neighbour that counts: the first is the rarest row, the second has the
    code that does not occur. `wider` is the number of codes that a column has more in the other declaration.
    """

    name: str
    sizes: Mapping[str, int]
    rows: Rows
    covering: tuple[Row, ...]
    wider: int

    def neighbours(self) -> Iterator[Neighbour]:
        """Return the neighbours that remove or add one row for every code, in turn, then one that exchanges a
        row.
        """
        for place, row in enumerate(self.covering):
            yield self._without(row) if place % 2 == 0 else self._with(row)
        exchanged = self.rows.copy()
        exchanged[RARE] = 0
        yield Neighbour(how=EXCHANGED, told="its rarest row exchanged", rows=exchanged)

    def of_cells(self) -> Iterator[Neighbour]:
        """Return the neighbours with one row added to each cell."""
        yield from map(self._with, self._cells())

    def of_pairs(self) -> Iterator[Neighbour]:
        """Return the neighbours with a unit of two equal rows added to each cell, which moves one count by
        two.
        """
        for row in self._cells():
            told = f"two rows {_in_words(row)} of one unit added"
            yield Neighbour(how=ADDED, told=told, rows=np.concatenate([self.rows, [row, row]]))

    def elsewhere(self) -> Rows:
        """Return about half as many unrelated rows, in which each code occurs. No neighbour."""
        rng, fewer = np.random.default_rng(20261125), 17 * len(self.rows) // 30
        return np.stack([rng.integers(0, size, fewer) for size in self.sizes.values()], axis=1)

    def swapped(self) -> dict[str, int]:
        """Return the table with more declared codes in every column."""
        return {name: size + self.wider for name, size in self.sizes.items()}

    def _cells(self) -> Iterator[Row]:
        return product(*map(range, self.sizes.values()))

    def _without(self, row: Row) -> Neighbour:
        (first, *_) = np.flatnonzero((self.rows == row).all(axis=1))
        told = f"a row {_in_words(row)} removed"
        return Neighbour(how=REMOVED, told=told, rows=np.delete(self.rows, first, axis=0))

    def _with(self, row: Row) -> Neighbour:
        told = f"a row {_in_words(row)} added"
        return Neighbour(how=ADDED, told=told, rows=np.concatenate([self.rows, [row]]))


def _in_words(row: Row) -> str:
    return "(" + ", ".join(map(str, row)) + ")"


def _mixed() -> GateTable:
    """Return related columns."""
    rng, rows = np.random.default_rng(20261122), 300
    a = rng.integers(0, 2, rows)
    b = np.where(rng.random(rows) < 0.8, a, rng.integers(0, 3, rows))
    c = np.where(rng.random(rows) < 0.5, b, rng.integers(0, 4, rows))
    covering = ((1, 2, 4), (0, 2, 5), (0, 0, 0), (1, 1, 1), (1, 0, 3), (0, 1, 2))
    table = np.stack([a, b, c], axis=1)
    table[RARE] = covering[0]
    return GateTable(
        name="columns of two to six codes",
        sizes={"a": 2, "b": 3, "c": 6},
        rows=table,
        covering=covering,
        wider=2,
    )


def _yes_no() -> GateTable:
    """Return columns where `c` is the XOR of `a` and `b`, `d` is yes in one row, and `e` in none."""
    rng, rows = np.random.default_rng(20261126), 2_000
    a, b = rng.integers(0, 2, (2, rows))
    never = np.zeros(rows, dtype=np.int64)
    covering = ((1, 1, 0, 1, 0), (0, 1, 1, 0, 1), (0, 0, 0, 0, 0), (1, 0, 1, 0, 0))
    table = np.stack([a, b, a ^ b, never, never], axis=1)
    table[RARE] = covering[0]
    sizes = dict.fromkeys("abcde", 2)
    return GateTable(name="yes-no columns", sizes=sizes, rows=table, covering=covering, wider=1)


MIXED, YES_NO = _mixed(), _yes_no()
