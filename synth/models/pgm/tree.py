"""A rooted junction tree and the one order in which all its tables are laid out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from synth.core.domain import Domain
from synth.core.graphs.columns import bits


@dataclass(frozen=True, eq=False)
class JunctionTree:
    """Maximal cliques joined so that every column's cliques hang together.

    Cliques are numbered as in `masks`. `order` lists them from the root (the largest) outward, `parents[c]`
    is -1 for the root; unconnected parts are joined by empty separators. Every table of the model is laid
    out with its columns by ascending size (`layout`): one order for all makes every alignment a reshape,
    and the long column last makes the inner loops long.
    """

    domain: Domain
    masks: tuple[int, ...]
    parents: tuple[int, ...]
    order: tuple[int, ...]
    _layouts: dict[int, tuple[int, ...]] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(domain: Domain, masks: Sequence[int]) -> JunctionTree:
        """Maximum-weight spanning tree over the sizes of the intersections (Prim's algorithm), which for the
        maximal cliques of a triangulated graph has the running intersection property."""
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
        """Children of every clique."""
        below: list[list[int]] = [[] for _ in self.masks]
        for c in self.order[1:]:
            below[self.parents[c]].append(c)
        return tuple(map(tuple, below))

    @cached_property
    def rank(self) -> tuple[int, ...]:
        """Position of every column in the common layout."""
        ranks = [0] * len(self.domain)
        for place, i in enumerate(layout_order(self.domain)):
            ranks[i] = place
        return tuple(ranks)

    @cached_property
    def axes(self) -> tuple[tuple[int, ...], ...]:
        """Columns of every clique's table, as laid out."""
        return tuple(self.layout(mask) for mask in self.masks)

    def separator(self, c: int) -> int:
        """Mask of the columns that a clique shares with its parent; 0 at the root."""
        return self.masks[c] & self.masks[self.parents[c]] if self.parents[c] >= 0 else 0

    def layout(self, mask: int) -> tuple[int, ...]:
        """The columns of a mask in the common layout."""
        if mask not in self._layouts:
            self._layouts[mask] = tuple(sorted(bits(mask), key=self.rank.__getitem__))
        return self._layouts[mask]

    def shape(self, mask: int) -> tuple[int, ...]:
        """Shape of a table over the columns of a mask, as laid out."""
        return tuple(self.domain.sizes[i] for i in self.layout(mask))


def layout_order(domain: Domain) -> list[int]:
    """Columns by ascending size; equal ones in domain order."""
    return sorted(range(len(domain)), key=lambda i: (domain.sizes[i], i))


def broadcast_shape(tree: JunctionTree, mask: int, within: int) -> tuple[int, ...]:
    """Shape that lines a table over `mask` up with tables over `within`: ones for the missing columns."""
    return tuple(tree.domain.sizes[i] if mask >> i & 1 else 1 for i in tree.layout(within))
