"""Sum a table over some of its axes, according to a plan that is computed once per shape.

Neighbouring axes that are all summed or all kept are merged first. At most a few two- or three-dimensional
sums remain. They are computed as a matrix product with ones if this is faster than numpy's own sum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]
"""Contiguous table of a clique, with columns in the tree's layout."""


class _Where(Enum):
    FIRST = 0
    LAST = 1
    MIDDLE = 2


@dataclass(frozen=True, eq=False)
class Reduction:
    """A planned sum. A call returns a new table, or a view if no axis is summed."""

    steps: tuple[tuple[_Where, tuple[int, ...]], ...]
    shape: tuple[int, ...]

    def __call__(self, table: Table) -> Table:
        for where, shape in self.steps:
            table = table.reshape(shape)
            if where is _Where.LAST:
                table = table.dot(_ones(shape[1]))
            elif where is _Where.FIRST:
                table = _ones(shape[0]).dot(table)
            elif shape[1] * shape[2] >= 512:
                table = np.matmul(_ones(shape[1]), table)
            else:
                table = np.einsum("amb->ab", table)
        return table.reshape(self.shape)


@lru_cache(maxsize=4096)
def reduction(shape: tuple[int, ...], keep: tuple[bool, ...]) -> Reduction:
    """Return the plan that sums a table of `shape` over every axis that is not kept.

    >>> reduction((2, 3), (False, True))(np.ones((2, 3)))
    array([2., 2., 2.])
    """
    kept_shape = tuple(size for size, kept in zip(shape, keep, strict=True) if kept)
    blocks: list[tuple[bool, int]] = []
    for size, kept in zip(shape, keep, strict=True):
        if blocks and blocks[-1][0] == kept:
            size *= blocks.pop()[1]
        blocks.append((kept, size))
    steps: list[tuple[_Where, tuple[int, ...]]] = []
    if len(blocks) == 1 and not blocks[0][0]:
        return Reduction(((_Where.LAST, (1, blocks[0][1])),), kept_shape)
    if blocks and not blocks[-1][0]:
        size = blocks.pop()[1]
        steps.append((_Where.LAST, (_product(blocks), size)))
    if blocks and not blocks[0][0]:
        size = blocks.pop(0)[1]
        steps.append((_Where.FIRST, (size, _product(blocks))))
    while len(blocks) > 1:
        steps.append((_Where.MIDDLE, (blocks[0][1], blocks[1][1], _product(blocks[2:]))))
        blocks[:3] = [(True, blocks[0][1] * blocks[2][1])]
    return Reduction(tuple(steps), kept_shape)


def _product(blocks: list[tuple[bool, int]]) -> int:
    return math.prod(size for _, size in blocks)


@lru_cache(maxsize=512)
def _ones(size: int) -> Table:
    ones = np.ones(size)
    ones.setflags(write=False)
    return ones
