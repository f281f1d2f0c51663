"""Find the nearest of some public records, with exact integers.

With integers, a distance depends only on the two compared records.

Each code is a point with integer coordinates. A code of an ordered column is a place on a line from 0 to
LONGEST. In any other column, two different codes have the squared distance `MISS` (2/9 of the whole length in
Tab-PE). Squared distances are summed over the columns. They are computed as products of float matrices, which
represent these integers exactly, so the result depends neither on the order of summation nor on other
records.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LONGEST = 255
_CORNER = 85
MISS = 2 * _CORNER**2

AT_A_TIME = 2048
"""Number of records whose distances are computed at a time."""

Places = tuple[int, ...]
"""The place of each code of an ordered column, which is empty for any other column."""

Ints = NDArray[np.integer]


def points_of(places: Places, size: int) -> NDArray[np.int64]:
    """Return a point for each code of a column.

    Shapes: int64[size, 1] for an ordered column, otherwise int64[size, size].
    """
    if places:
        return np.array(places, dtype=np.int64)[:, None]
    return _CORNER * np.eye(size, dtype=np.int64)


def nearest(records: Ints, candidates: Ints, points: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the index of the nearest candidate for each record. In a tie, return the lowest index.

    Shapes: `records` int[columns, n]; `candidates` int[columns, m] with at least one candidate; `points[i]:
    int[codes of column i, any]`; int64[n].
    """
    count = records.shape[1]
    if not len(records) or candidates.shape[1] == 1:
        return np.zeros(count, dtype=np.int64)
    reach = sum(int(np.square(p).sum(axis=1).max()) for p in points)
    exact = np.float32 if 4 * reach < 1 << 24 else np.float64
    known = [p.astype(exact) for p in points]
    centres = np.concatenate([p[c] for p, c in zip(known, candidates, strict=True)], axis=1)
    lengths, turned = np.square(centres).sum(axis=1), np.ascontiguousarray(-2 * centres.T)
    found = np.empty(count, dtype=np.int64)
    for start in range(0, count, AT_A_TIME):
        block = slice(start, start + AT_A_TIME)
        here = np.concatenate([p[r[block]] for p, r in zip(known, records, strict=True)], axis=1)
        found[block] = (here @ turned + lengths).argmin(
            axis=1
        )  # the length of a record does not affect the order
    return found
