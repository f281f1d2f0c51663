"""The invented table that methods are replayed on, its neighbours, and its declaration swapped for another.

Public by construction. One code occurs in a single row and one in none, so that a method which learns its
codes from the rows is seen to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SIZES = {"a": 2, "b": 3, "c": 6}
ROWS, RARE = 300, 7
"""How many rows, and which of them alone has the last but one code of `c`."""

Rows = NDArray[np.int64]
REMOVED, ADDED, EXCHANGED = "removed", "added", "exchanged"


@dataclass(frozen=True, eq=False, kw_only=True)
class Neighbour:
    """A table that differs by one row; `how` is what was done, `told` the same in words."""

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
    rows[RARE] = (1, 2, 4)
    return rows


def neighbours() -> Iterator[Neighbour]:
    """Adding or removing one row, then exchanging one."""
    rows = base()
    unseen = np.array([[0, 2, 5]])
    yield Neighbour(how=REMOVED, told="its rarest row removed", rows=np.delete(rows, RARE, axis=0))
    yield Neighbour(how=ADDED, told="a row with an unseen code added", rows=np.concatenate([rows, unseen]))
    exchanged = rows.copy()
    exchanged[RARE] = (0, 0, 0)
    yield Neighbour(how=EXCHANGED, told="its rarest row exchanged", rows=exchanged)


def swapped() -> dict[str, int]:
    """A declaration with more codes of every column."""
    return {name: size + 2 for name, size in SIZES.items()}
