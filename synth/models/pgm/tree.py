"""A rooted junction tree, and the layout that all its tables share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from synth.core.domain import Domain
from synth.core.graphs.columns import bits


@dataclass(frozen=True, eq=False)
class JunctionTree:
    """A tree of maximal cliques in which the cliques that contain a given column are connected.

    Cliques are numbered as in `masks`. `order` lists them from the root, which is the largest clique,
    outwards. `parents[c]` is -1 for the root. Unconnected parts are joined by empty separators. The columns
    of every table are sorted by ascending size (`layout`). With a common order, every alignment is a reshape.
    With the longest column last, the inner loops are long.
    """

    domain: Domain
    masks: tuple[int, ...]
    parents: tuple[int, ...]
    order: tuple[int, ...]
    _layouts: dict[int, tuple[int, ...]] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(domain: Domain, masks: Sequence[int]) -> JunctionTree:
        """Build the maximum-weight spanning tree over the sizes of the intersections (Prim's algorithm). For
        the maximal cliques of a triangulated graph, it has the running intersection property.
        """
        cells = [math.prod(domain.sizes[i] for i in bits(mask)) for mask in masks]
        root = max(range(len(masks)), key=lambda c: (cells[c], -c))
        parents, order = [-1] * len(masks), [root]
        link = {c: (-1, root) for c in range(len(masks)) if c != root}
        newest = root
        while link:
            for c, (strength, _) in link.items():
                shared = (masks[c] & masks[newest]).bit_count()
                if shared > strength:
                    link[c] = (shared, newest)
            newest = max(link, key=lambda c: (link[c][0], cells[c], -c))
            parents[newest] = link.pop(newest)[1]
            order.append(newest)
        return JunctionTree(domain, tuple(masks), tuple(parents), tuple(order))

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of every clique."""
        below: list[list[int]] = [[] for _ in self.masks]
        for c in self.order[1:]:
            below[self.parents[c]].append(c)
        return tuple(map(tuple, below))

    @cached_property
    def rank(self) -> tuple[int, ...]:
        """The position of every column in the common layout."""
        ranks = [0] * len(self.domain)
        for place, i in enumerate(layout_order(self.domain)):
            ranks[i] = place
        return tuple(ranks)

    @cached_property
    def axes(self) -> tuple[tuple[int, ...], ...]:
        """The columns of every clique's table in the common layout."""
        return tuple(self.layout(mask) for mask in self.masks)

    def separator(self, c: int) -> int:
        """Return the mask of the columns that a clique shares with its parent, or 0 at the root."""
        return self.masks[c] & self.masks[self.parents[c]] if self.parents[c] >= 0 else 0

    def layout(self, mask: int) -> tuple[int, ...]:
        """Return the columns of a mask in the common layout."""
        if mask not in self._layouts:
            self._layouts[mask] = tuple(sorted(bits(mask), key=self.rank.__getitem__))
        return self._layouts[mask]

    def shape(self, mask: int) -> tuple[int, ...]:
        """Return the shape of a table over the columns of a mask in the common layout."""
        return tuple(self.domain.sizes[i] for i in self.layout(mask))


def layout_order(domain: Domain) -> list[int]:
    """Return the columns by ascending size, and columns of equal size in domain order."""
    return sorted(range(len(domain)), key=lambda i: (domain.sizes[i], i))


def broadcast_shape(tree: JunctionTree, mask: int, within: int) -> tuple[int, ...]:
    """Return the shape that aligns a table over `mask` with tables over `within`. Axes of missing columns
    have length 1.
    """
    return tuple(tree.domain.sizes[i] if mask >> i & 1 else 1 for i in tree.layout(within))
