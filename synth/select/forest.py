"""Columns that hang together: what a spanning tree needs to know while it grows."""

from __future__ import annotations

from collections.abc import Iterable


class Forest:
    """A forest over columns; every column starts as a tree of its own (Kruskal's algorithm).

    >>> forest = Forest("abc")
    >>> forest.join("a", "b")
    >>> forest.joined("a", "b"), forest.joined("b", "c")
    (True, False)
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._tree = {name: i for i, name in enumerate(names)}

    def joined(self, first: str, second: str) -> bool:
        """Whether a path of edges leads from one column to the other."""
        return self._tree[first] == self._tree[second]

    def join(self, first: str, second: str) -> None:
        """Add an edge. ValueError if it would close a circle."""
        kept, gone = self._tree[first], self._tree[second]
        if kept == gone:
            raise ValueError("an edge inside a tree would close a circle")
        for name, tree in self._tree.items():
            if tree == gone:
                self._tree[name] = kept
