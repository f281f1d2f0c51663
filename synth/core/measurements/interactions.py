"""Compute interactions. An interaction is the part of a table of counts that does not follow from smaller
tables.

Let M be the counts of a clique A whose columns have n_1, ..., n_q codes. Its interaction is E = C_1 x ... x
C_q M, where C_i subtracts the mean along axis i. All sums of E along an axis are zero, prod(n_i - 1) of its
numbers are free, and a table is the sum

    M_A = sum over B inside A of (n_B / n_A) E_B,

where n_B is the number of cells of B, and E of the empty set is the total count. Contrasts are integers that
represent these free numbers. Along an axis of n codes, they are computed with the rows (1, ..., 1, -k, 0,
...) for k = 1 to n - 1, which are orthogonal and map constants to zero (Helmert 1876). For a yes/no column,
the contrast is one count minus the other. One record changes the contrasts of a clique, each divided by the
length of its row, by sqrt(p_A) in L2 with p_A = prod(1-1/n_i), while it changes the table by one. So adding
independent noise with standard deviations of s times these lengths is the same as adding noise of variance
s^2 to E. Its cost is p_A times the cost of a table with that noise, which is a quarter for two yes/no columns
(`assets/proofs/interactions.md`). ResidualPlanner (Xiao, He, Zhang, Kifer 2023) showed that effects cost less
than their tables, but its rows are not orthogonal.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", np.int64, np.float64)

ASK = "interaction"
"""The name of the query in the ledger and in its answers."""


@lru_cache
def contrasts(size: int) -> NDArray[np.int64]:
    """Return the contrast rows of one axis. The array is read-only. Shapes: int64[size - 1, size].

    >>> contrasts(3).tolist()
    [[1, -1, 0], [1, 1, -2]]
    """
    rows = np.tril(np.ones((size - 1, size), dtype=np.int64))
    rows[np.arange(size - 1), np.arange(1, size)] = -np.arange(1, size)
    rows.setflags(write=False)
    return rows


def squared_lengths(shape: Sequence[int]) -> NDArray[np.int64]:
    """Return the squared lengths of the rows for a table of this shape. Shapes: int64[n_1 - 1, ..., n_q - 1].

    >>> squared_lengths((2, 3)).tolist()
    [[4, 12]]
    """
    lengths = np.ones((), dtype=np.int64)
    for size in shape:
        lengths = np.multiply.outer(lengths, np.arange(1, size) * np.arange(2, size + 1))
    return lengths


def part_of_price(shape: Sequence[int], *, replaces: bool = False) -> Fraction:
    """Return p_A, the cost of an interaction relative to a table with the same noise.

    With replacement, the column with the fewest codes is omitted from the product.

    >>> part_of_price((2, 2)), part_of_price((2, 10)), part_of_price((2, 10), replaces=True)
    (Fraction(1, 4), Fraction(9, 20), Fraction(9, 10))
    """
    parts = sorted(Fraction(size - 1, size) for size in shape)
    return math.prod(parts[1:] if replaces else parts, start=Fraction(1))


def contrasted(table: NDArray[Number]) -> NDArray[Number]:
    """Return the contrasts of a table, which have one entry less along each axis."""
    for axis, size in enumerate(table.shape):
        table = np.moveaxis(np.tensordot(contrasts(size), table, axes=(1, axis)), 0, axis)
    return table


def interaction(numbers: NDArray[np.int64], shape: Sequence[int]) -> NDArray[np.float64]:
    """Return the interaction E from its contrasts, in counts.

    Shapes: `numbers`: int64[n_1 - 1, ..., n_q - 1]; float64[shape].

    Raises: ValueError if the number of contrasts is wrong.
    """
    lengths, rows = _of_shape(tuple(shape))
    if numbers.shape != lengths.shape:
        raise ValueError("an interaction has one number less than codes along every axis")
    table = numbers / lengths
    if len(rows) == 2:
        return np.asarray(rows[0].T @ table @ rows[1])
    for axis, part in enumerate(rows):
        table = np.moveaxis(np.tensordot(part, table, axes=(0, axis)), 0, axis)
    return np.asarray(table, dtype=np.float64)


@lru_cache(maxsize=1 << 12)
def _of_shape(shape: tuple[int, ...]) -> tuple[NDArray[np.int64], tuple[NDArray[np.float64], ...]]:
    """Return the squared lengths of the rows and the rows of every axis."""
    return squared_lengths(shape), tuple(contrasts(size).astype(np.float64) for size in shape)


def centred(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the interaction E of a table. Shapes: as `table`."""
    for axis in range(table.ndim):
        table = table - table.mean(axis=axis, keepdims=True)
    return table


def shape_of(requested: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the number of codes of each column of an interaction, from the facts of its query."""
    return tuple(int(size) for size in requested["shape"])
