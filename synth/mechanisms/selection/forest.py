"""Store which columns are connected while a spanning tree is built."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Forest:
    """A forest over columns, which are given by position. At first, every column is a separate tree
    (Kruskal's algorithm).

    Many pairs are tested at once, because 500 columns have 124,750 pairs, but a tree has only 499 edges.

    >>> forest = Forest(3)
    >>> forest.join(0, 1)
    >>> forest.apart(np.array([[0, 1], [1, 2]])).tolist()
    [False, True]
    """

    def __init__(self, columns: int) -> None:
        self._tree = np.arange(columns)

    def apart(self, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for each pair whether it connects two trees. Shapes: `pairs` int64[n, 2]; bool[n]."""
        first, second = self._tree[pairs].T
        return np.asarray(first != second)

    def cut(self, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for each pair whether it connects the smallest tree to another tree.

        All given pairs connect two trees. If no pair connects the smallest tree, the next smallest tree is
        used. Among trees of equal size, the tree with the earliest column comes first. Shapes: `pairs`
        int64[n, 2]; bool[n].

        >>> forest = Forest(4)
        >>> forest.join(0, 1)
        >>> forest.cut(np.array([[0, 3], [1, 2], [1, 3]])).tolist()
        [False, True, False]
        """
        if not len(pairs):
            return np.zeros(0, dtype=np.bool_)
        ends = self._tree[pairs]
        trees, first, sizes = np.unique(self._tree, return_index=True, return_counts=True)
        reached = np.isin(trees, ends)
        smallest = min(zip(sizes[reached], first[reached], trees[reached], strict=True))[2]
        return np.asarray((ends == smallest).any(axis=1))

    def join(self, first: int, second: int) -> None:
        """Add an edge. Raises: ValueError if it would close a cycle."""
        kept, gone = self._tree[first], self._tree[second]
        if kept == gone:
            raise ValueError("an edge within a tree would close a cycle")
        self._tree[self._tree == gone] = kept
