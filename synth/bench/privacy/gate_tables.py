"""The invented table on which methods are replayed, and its neighbours. It is public.

Its columns are related. One code occurs in a single row and one code in no row, to detect a method that
learns the codes from the rows. Together, the rows that neighbours lose or gain contain every code of every
column, and every pair of codes of the first two columns.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]

SIZES = {"a": 2, "b": 3, "c": 6}
CHANGED = ((1, 2, 4), (0, 2, 5), (0, 0, 0), (1, 1, 1), (1, 0, 3), (0, 1, 2))
"""Rows that are removed or added, one at a time. The first has the rarest code, and the second has the code
that no row has.
"""


def _related() -> Rows:
    rng, rows = np.random.default_rng(20261122), 300
    a = rng.integers(0, 2, rows)
    b = np.where(rng.random(rows) < 0.8, a, rng.integers(0, 3, rows))
    c = np.where(rng.random(rows) < 0.5, b, rng.integers(0, 4, rows))
    table = np.stack([a, b, c], axis=1)
    table[7] = CHANGED[0]
    return table


ROWS = _related()
UNRELATED = np.random.default_rng(20261125).integers(0, [*SIZES.values()], (170, len(SIZES)))
"""A smaller table of independent rows. It is not a neighbouring table."""


def neighbours() -> Iterator[tuple[str, Rows]]:
    """Yield tables with one row less or one row more, with a description of the difference."""
    for place, row in enumerate(CHANGED):
        if place % 2 == 0:
            first = np.flatnonzero((np.array(row) == ROWS).all(axis=1))[0]
            yield f"without a row {row}", np.delete(ROWS, first, axis=0)
        else:
            yield f"with one more row {row}", np.concatenate([ROWS, [row]])
