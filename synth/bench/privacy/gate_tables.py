"""Invented tables that methods are replayed on, their neighbours, and their declarations swapped for others.

Public by construction. One code occurs in a single row and one in none, so that a method which learns its
codes from the rows is seen to. The rows that few neighbours have more or less cover every code of every
column, and every pair of codes of the first two. Where neighbours are cheap there is one for every cell.

`MIXED` has columns of two to six codes. `YES_NO` has two codes a column, where methods may ask otherwise
(`questions.Interaction`), and a relation of three columns that no pair shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

RARE = 7
"""Which row alone has a table's rarest code."""

Rows = NDArray[np.int64]
Row = tuple[int, ...]
REMOVED, ADDED, EXCHANGED = "removed", "added", "exchanged"


@dataclass(frozen=True, eq=False, kw_only=True)
class Neighbour:
    """A table that differs by one unit's rows; `how` is what was done, `told` the same in words."""

    how: str
    told: str
    rows: Rows


@dataclass(frozen=True, eq=False, kw_only=True)
class GateTable:
    """A table with its declaration. Shapes: rows int64[n, columns].

    `covering` has the row of every neighbour that counts: the first is the rarest one, the second has the
    unseen code. `wider` is how many codes a column has more in the swapped declaration.
    """

    name: str
    sizes: Mapping[str, int]
    rows: Rows
    covering: tuple[Row, ...]
    wider: int

    def neighbours(self) -> Iterator[Neighbour]:
        """Removing or adding one row of every code, by turns, then exchanging one."""
        for place, row in enumerate(self.covering):
            yield self._without(row) if place % 2 == 0 else self._with(row)
        exchanged = self.rows.copy()
        exchanged[RARE] = 0
        yield Neighbour(how=EXCHANGED, told="its rarest row exchanged", rows=exchanged)

    def of_cells(self) -> Iterator[Neighbour]:
        """One row of every cell added."""
        yield from map(self._with, self._cells())

    def of_pairs(self) -> Iterator[Neighbour]:
        """Units of two rows: two alike of every cell, which move one count by two, added."""
        for row in self._cells():
            told = f"two rows {_in_words(row)} of one unit added"
            yield Neighbour(how=ADDED, told=told, rows=np.concatenate([self.rows, [row, row]]))

    def elsewhere(self) -> Rows:
        """Return about half as many unrelated rows, in which each code occurs. No neighbour."""
        rng, fewer = np.random.default_rng(20261125), 17 * len(self.rows) // 30
        return np.stack([rng.integers(0, size, fewer) for size in self.sizes.values()], axis=1)

    def swapped(self) -> dict[str, int]:
        """A declaration with more codes of every column."""
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
    """Related columns."""
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
    """`c` is the XOR of `a` and `b`; of `d` one row says yes, of `e` none."""
    rng, rows = np.random.default_rng(20261126), 2_000
    a, b = rng.integers(0, 2, (2, rows))
    never = np.zeros(rows, dtype=np.int64)
    covering = ((1, 1, 0, 1, 0), (0, 1, 1, 0, 1), (0, 0, 0, 0, 0), (1, 0, 1, 0, 0))
    table = np.stack([a, b, a ^ b, never, never], axis=1)
    table[RARE] = covering[0]
    sizes = dict.fromkeys("abcde", 2)
    return GateTable(name="yes-no columns", sizes=sizes, rows=table, covering=covering, wider=1)


MIXED, YES_NO = _mixed(), _yes_no()
