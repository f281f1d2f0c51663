"""Project a table onto the nearest table with non-negative cells and a given total."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def project_onto_simplex(counts: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """Return the non-negative vector with the given total that is closest to `counts` (least squares).

    Shapes: float64[n] to float64[n]. Source: Duchi et al., Efficient projections onto the l1-ball (2008).

    >>> project_onto_simplex(np.array([5.0, 3.0, -4.0]), 6.0)
    array([4., 2., 0.])
    """
    if counts.size == 0 or not total > 0:
        raise ValueError("a projection needs at least one cell and a positive total")
    descending = np.sort(counts)[::-1]
    excess = (np.cumsum(descending) - total) / np.arange(1, counts.size + 1)
    last = int(np.flatnonzero(descending > excess)[-1])
    clipped = np.maximum(counts - excess[last], 0.0)
    result: NDArray[np.float64] = clipped * (total / clipped.sum())
    return result
