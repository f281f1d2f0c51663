"""Draw records by systematic instead of independent sampling, so that their tables hardly differ from the
model's.

Source: the randomised rounding in Private-PGM's record generation, in the form of systematic sampling (Madow
1949). If n rows share their earlier values, they get the quantiles (r - u) / n of the next column's
conditional distribution, for r = 1 .. n and a uniform u. Therefore, every count differs from its expectation
by less than one. Rows that share all values so far are counted instead of listed, until the last column is
drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import smallest_dtype

_BLOCK = 2**20
"""Maximum number of cells of conditional tables that are processed at a time."""

Integers = NDArray[np.int64]


def draw_columns(
    table: NDArray[np.float64], parents: Sequence[Integers], rows: int, *, rng: np.random.Generator
) -> list[Integers]:
    """Draw columns one after another, each given its parents and the columns before it.

    Shapes: `table: float64[*parent sizes, *column sizes]`, joint weights. `parents`: one int64[rows] per
    leading axis. The result is one int64[rows] per other axis. Rows with equal parents get their values in a
    new random order, because in the order of an earlier column, the values would appear to depend on that
    column. Values of weight zero are never drawn.

    Raises: ArithmeticError if rows have parents without weight.
    """
    known, sizes = table.shape[: len(parents)], table.shape[len(parents) :]
    tables = [table.reshape(math.prod(known), -1)]
    for size in reversed(sizes[1:]):
        tables.append(tables[-1].reshape(len(tables[-1]), -1, size).sum(axis=2))
    order, cell, count = _grouped(parents, known, rows, rng)
    for size, weights in zip(sizes, reversed(tables), strict=True):
        cell, count = _split(weights.reshape(-1, size), cell, count, rng.random(cell.size))
    drawn = []
    for code in np.unravel_index(cell, table.shape)[len(known) :]:
        column = np.empty(rows, dtype=np.int64)
        column[order] = np.repeat(code, count)
        drawn.append(column)
    return drawn


def _grouped(
    parents: Sequence[Integers], sizes: Sequence[int], rows: int, rng: np.random.Generator
) -> tuple[Integers, Integers, Integers]:
    """Return the rows sorted by the cell of their parents, in random order within a cell, together with the
    occupied cells and their counts.
    """
    shuffled = rng.permutation(rows)
    if not parents:
        return shuffled, np.zeros(min(rows, 1), dtype=np.int64), np.full(min(rows, 1), rows)
    group = np.ravel_multi_index(tuple(parents), tuple(sizes))[shuffled]
    # numpy uses radix sort for 16-bit numbers, which is ten times as fast as its sort of wider numbers
    rank = np.argsort(group.astype(smallest_dtype(math.prod(sizes))), kind="stable")
    group = group[rank]
    first = np.flatnonzero(np.diff(group, prepend=-1))
    return shuffled[rank], group[first], np.diff(first, append=rows)


def _split(
    weights: NDArray[np.float64], cell: Integers, count: Integers, share: NDArray[np.float64]
) -> tuple[Integers, Integers]:
    """Distribute the rows of each cell over the values of the next column.

    Shapes: `weights: float64[cells, values]`. `cell`, `count` and the uniform `share` have one entry per
    occupied cell. Return the occupied cells of `weights` in order, and their counts.
    """
    values = weights.shape[1]
    step = max(1, _BLOCK // values)
    cells, counts = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for start in range(0, cell.size, step):
        block = slice(start, start + step)
        below = np.cumsum(weights[cell[block]], axis=1)
        whole = below[:, -1:].copy()
        if not (whole > 0).all():
            raise ArithmeticError("rows contain combinations that the model excludes")
        below /= whole
        below *= count[block, None]
        below += share[block, None]
        np.floor(below, out=below)  # the number of rows with a quantile below each value's upper end
        split = np.diff(np.minimum(below, count[block, None]), axis=1, prepend=0.0)
        group, value = np.nonzero(split > 0)
        cells.append(cell[block][group] * values + value)
        counts.append(split[group, value].astype(np.int64))
    return np.concatenate(cells), np.concatenate(counts)
