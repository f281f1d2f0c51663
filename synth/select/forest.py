"""Columns that hang together: what a spanning tree needs to know while it grows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence


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

    def cut(self, pairs: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Of these pairs, each of which joins two trees, those that join the smallest tree to any other;
        where there is none, the next smallest. Of two trees as small the earlier column's is the first.

        >>> forest = Forest("abcd")
        >>> forest.join("a", "b")
        >>> forest.cut([("a", "d"), ("b", "c"), ("b", "d")])
        [('b', 'c')]
        """
        sizes = Counter(self._tree.values())
        for tree in sorted(sizes, key=sizes.__getitem__):
            found = [r for r in pairs if tree in (self._tree[r[0]], self._tree[r[1]])]
            if found:
                return found
        return []

    def join(self, first: str, second: str) -> None:
        """Add an edge. ValueError if it would close a circle."""
        kept, gone = self._tree[first], self._tree[second]
        if kept == gone:
            raise ValueError("an edge inside a tree would close a circle")
        for name, tree in self._tree.items():
            if tree == gone:
                self._tree[name] = kept
