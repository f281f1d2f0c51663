"""Compute how far random sampling alone moves a table from its expected counts."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def by_chance(expected: NDArray[np.float64]) -> float:
    """Return the expected L1 distance between a table and its expected counts if only random sampling
    separates them. Each cell contributes 0.8 times the square root of its expected count, but at most twice
    this count.
    """
    return float(np.minimum(math.sqrt(2 / math.pi) * np.sqrt(expected), 2 * expected).sum())


def dependence(counts: NDArray[np.float64]) -> float:
    """Return the distance of a table of two columns from independence (TVD), beyond chance.

    The result is 0 if the distance is at most `by_chance`, as expected of independent columns. Shapes:
    `counts` float64[codes of a, codes of b], in records.

    >>> dependence(np.array([[500.0, 0.0], [0.0, 500.0]])) > 0.45, dependence(np.full((2, 2), 250.0))
    (True, 0.0)
    """
    total = float(counts.sum())
    if total <= 0:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total
    distance = float(np.abs(counts - expected).sum())
    return max(0.0, distance - by_chance(expected)) / (2 * total)
