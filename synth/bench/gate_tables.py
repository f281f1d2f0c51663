"""The invented table that methods are replayed on, its neighbours, and its declaration swapped for another.

Public by construction. One code occurs in a single row and one in none, so that a method which learns its
codes from the rows is seen to. The rows that few neighbours have more or less cover every code of every
column, and every pair of codes of the first two. Where neighbours are cheap there is one for every cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

SIZES = {"a": 2, "b": 3, "c": 6}
ROWS, RARE = 300, 7
"""How many rows, and which of them alone has the last but one code of `c`."""

FEWER = 170
"""How many rows the table `elsewhere` has."""

COVERING = ((1, 2, 4), (0, 2, 5), (0, 0, 0), (1, 1, 1), (1, 0, 3), (0, 1, 2))
"""The row of every neighbour that counts: the first is the rarest one, the second has the unseen code."""

Rows = NDArray[np.int64]
Row = tuple[int, ...]
REMOVED, ADDED, EXCHANGED = "removed", "added", "exchanged"


@dataclass(frozen=True, eq=False, kw_only=True)
class Neighbour:
    """A table that differs by one unit's rows; `how` is what was done, `told` the same in words."""

    how: str
    told: str
    rows: Rows


def base() -> Rows:
    """Related columns. Shapes: int64[ROWS, 3]."""
    rng = np.random.default_rng(20261122)
    a = rng.integers(0, 2, ROWS)
    b = np.where(rng.random(ROWS) < 0.8, a, rng.integers(0, 3, ROWS))
    c = np.where(rng.random(ROWS) < 0.5, b, rng.integers(0, 4, ROWS))
    rows = np.stack([a, b, c], axis=1)
    rows[RARE] = COVERING[0]
    return rows


def neighbours() -> Iterator[Neighbour]:
    """Removing or adding one row of every code, by turns, then exchanging one."""
    for place, row in enumerate(COVERING):
        yield _without(row) if place % 2 == 0 else _with(row)
    exchanged = base()
    exchanged[RARE] = (0, 0, 0)
    yield Neighbour(how=EXCHANGED, told="its rarest row exchanged", rows=exchanged)


def of_cells() -> Iterator[Neighbour]:
    """One row of every cell added."""
    yield from map(_with, _cells())


def of_pairs() -> Iterator[Neighbour]:
    """Units of two rows: two alike of every cell, which move one count by two, added."""
    for row in _cells():
        told = f"two rows {_in_words(row)} of one unit added"
        yield Neighbour(how=ADDED, told=told, rows=np.concatenate([base(), [row, row]]))


def _cells() -> Iterator[Row]:
    return product(*map(range, SIZES.values()))


def elsewhere() -> Rows:
    """Other rows altogether, and fewer: unrelated columns, every code of which occurs. No neighbour."""
    rng = np.random.default_rng(20261125)
    return np.stack([rng.integers(0, size, FEWER) for size in SIZES.values()], axis=1)


def _without(row: Row) -> Neighbour:
    rows = base()
    (first, *_) = np.flatnonzero((rows == row).all(axis=1))
    return Neighbour(how=REMOVED, told=f"a row {_in_words(row)} removed", rows=np.delete(rows, first, axis=0))


def _with(row: Row) -> Neighbour:
    return Neighbour(how=ADDED, told=f"a row {_in_words(row)} added", rows=np.concatenate([base(), [row]]))


def _in_words(row: Row) -> str:
    return "(" + ", ".join(map(str, row)) + ")"


def swapped() -> dict[str, int]:
    """A declaration with more codes of every column."""
    return {name: size + 2 for name, size in SIZES.items()}
