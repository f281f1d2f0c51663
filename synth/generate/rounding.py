"""Records whose tables hardly differ from the model's: systematic instead of independent draws.

Source: the randomised rounding of Private-PGM's record generation, in the form of systematic sampling
(Madow 1949): n rows that share their earlier values receive the quantiles (r + u) / n, r = 0 .. n - 1, u
uniform, of the next column's conditional distribution, so every count is within one of its expectation.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_BLOCK = 2**20
"""Most cells of conditional tables handled at a time."""


def draw_column(
    table: NDArray[np.float64], parents: Sequence[NDArray[np.int64]], rows: int, *, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw a column given its parents.

    Shapes: `table: float64[*parent sizes, values]`, joint weights; `parents`: one int64[rows] per leading
    axis; returns int64[rows]. Within rows of equal parents the values fall in a fresh random order: with the
    order of an earlier column they would carry its ranks along and look dependent. Values of weight zero are
    never drawn. ArithmeticError if rows carry parents of no weight.
    """
    group = np.zeros(rows, dtype=np.int64)
    for codes, size in zip(parents, table.shape[:-1], strict=True):
        group *= size
        group += codes
    shuffled = rng.permutation(rows)
    key = group[shuffled] * rows + np.arange(rows)
    key.sort()
    group, rank = np.divmod(key, max(rows, 1))
    order = shuffled[rank]
    first = np.flatnonzero(np.diff(group, prepend=-1))
    count = np.diff(first, append=rows)
    which = np.repeat(np.arange(first.size), count)
    quantile = (np.arange(rows) - first[which] + rng.random(first.size)[which]) / count[which]
    drawn = np.empty(rows, dtype=np.int64)
    step = max(1, _BLOCK // table.shape[-1])
    for start in range(0, first.size, step):
        stop = min(start + step, first.size)
        block = slice(int(first[start]), int(first[stop]) if stop < first.size else rows)
        there = order[first[start:stop]]
        weights = table[tuple(codes[there] for codes in parents)].reshape(stop - start, -1)
        drawn[order[block]] = _invert(weights, which[block] - start, quantile[block])
    return drawn


def _invert(
    weights: NDArray[np.float64], group: NDArray[np.int64], quantile: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Value at a quantile of its group's distribution, all groups in one search: group g's cumulative
    distribution occupies [g, g + 1)."""
    cumulative = np.cumsum(weights, axis=1)
    whole = cumulative[:, -1:]
    if not (whole > 0).all():
        raise ArithmeticError("rows carry values that the model holds impossible together")
    cumulative /= whole
    cumulative += np.arange(len(weights))[:, None]
    sought = np.minimum(group + quantile, np.nextafter(group + 1.0, 0.0))
    place = np.searchsorted(cumulative.reshape(-1), sought, side="right")
    values: NDArray[np.int64] = place - group * weights.shape[1]
    return values
