"""Iterative proportional fitting of a table to those of its pairs (Deming and Stephan 1940)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]

ROUNDS = 10


def fitted_to_pairs(table: Table, pairs: Mapping[tuple[int, int], Table]) -> Table:
    """The table nearest to this one, in relative entropy, among those that have these tables of two axes.

    Shapes: float64[sizes], `pairs[a, b]`: float64[sizes[a], sizes[b]], a < b, all in counts. Cells that are 0
    stay so. After `ROUNDS` rounds the pair that was fitted last is met, the others nearly.
    """
    found = table
    for _ in range(ROUNDS):
        for (a, b), wanted in pairs.items():
            rest = tuple(axis for axis in range(table.ndim) if axis not in (a, b))
            have = found.sum(axis=rest, keepdims=True)
            ratio = np.divide(wanted.reshape(have.shape), have, out=np.zeros_like(have), where=have > 0)
            found = found * ratio
    return found
