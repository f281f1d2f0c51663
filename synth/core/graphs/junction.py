"""Compute the size of a graphical model from the junction tree of its graph, on bitmasks.

A clique is a bitmask over the columns of the domain. The cost of an additional pair is computed in the blocks
between its columns (`triangulation.Enlargement`). It is cached while other parts of the graph change, so a
mechanism can evaluate all candidates in every round. Source: JT-SIZE in AIM (McKenna et al., 2022), section
4.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from synth.core.domain import Clique, Domain
from synth.core.graphs.columns import bits, first_connected
from synth.core.graphs.triangulation import (
    Between,
    Block,
    Enlargement,
    blocks_of,
    cells_of,
    triangulate,
)


@dataclass(frozen=True, eq=False)
class JunctionGraph:
    """A triangulated set of cliques over a domain. Every column is in a clique; an isolated column is a
    clique by itself.

    `adjacency` and `masks` are bitmasks over the domain's columns.
    """

    domain: Domain
    adjacency: tuple[int, ...]
    masks: tuple[int, ...]
    _blocks: tuple[Block, ...] = field(default=(), repr=False)
    _known: Mapping[tuple[int, ...], Between] = field(default_factory=dict, repr=False)
    _cells_with: dict[int, int] = field(default_factory=dict, repr=False)
    _least: dict[Clique, int] = field(default_factory=dict, repr=False)
    _enlarged: list[Enlargement] = field(default_factory=list, repr=False)

    @staticmethod
    def of(domain: Domain, cliques: Iterable[Clique]) -> JunctionGraph:
        """Return the triangulated graph in which the columns of each clique are joined."""
        adjacency = [0] * len(domain)
        for mask in {_mask(domain, clique) for clique in cliques}:
            _join(adjacency, mask)
        return JunctionGraph(domain, tuple(adjacency), tuple(triangulate(adjacency, domain.sizes)))

    @cached_property
    def cells(self) -> int:
        """Return the number of cells of all tables of the junction tree."""
        return cells_of(self.masks, self.domain.sizes)

    @cached_property
    def largest(self) -> int:
        """Return the number of cells of the largest clique of the tree."""
        return max(cells_of([mask], self.domain.sizes) for mask in self.masks)

    @property
    def maximal(self) -> tuple[Clique, ...]:
        """Return the cliques of the junction tree."""
        return tuple(tuple(self.domain.names[i] for i in bits(mask)) for mask in self.masks)

    def contains(self, clique: Clique) -> bool:
        """Whether the clique is part of a clique of the tree, so that adding it changes nothing."""
        return self._holds(_mask(self.domain, clique))

    def bridges(self, clique: Clique) -> bool:
        """Whether no two columns of the clique are connected.

        If so, adding it creates a new clique of the tree and changes no other clique, except for cliques
        inside it.
        """
        parts = [self._part[i] for i in self.domain.axes(clique)]
        return len(set(parts)) == len(parts)

    def cells_with(self, clique: Clique) -> int:
        """Return the number of cells of the tree if `clique` is measured as well."""
        mask = _mask(self.domain, clique)
        if self._holds(mask):
            return self.cells
        if mask not in self._cells_with:
            axes = self.domain.axes(clique)
            cells = self._enlargement.cells_with(*axes) if len(axes) == 2 else None
            if cells is None:
                adjacency = list(self.adjacency)
                _join(adjacency, mask)
                cells = cells_of(triangulate(adjacency, self.domain.sizes), self.domain.sizes)
            self._cells_with[mask] = cells
        return self._cells_with[mask]

    def largest_with(self, clique: Clique) -> int:
        """Return the number of cells of the largest clique of `with_measured(clique)`, or of this graph if it
        is larger.

        Even a pair inside a clique adds an edge, which can change the tree.
        """
        axes, changed = self.domain.axes(clique), None
        if len(axes) == 2 and not self.contains(clique):
            changed = self._enlargement.largest_with(*axes)
        if changed is None:
            changed = self.with_measured(clique).largest
        return max(self.largest, changed)

    def fits(self, clique: Clique, cells: float) -> bool:
        """Whether the model has at most this number of cells if the clique is measured.

        This is always true for a clique that is part of a clique of the tree.
        """
        if clique not in self._least:
            mask, size = _mask(self.domain, clique), self.domain.size(clique)
            if self._holds(mask):
                self._least[clique] = 0
            elif self._hangs_on(mask) or self.bridges(clique):
                self._least[clique] = self.cells + size - self._swallowed(mask)
            elif size > cells:
                return False
            else:
                self._least[clique] = self.cells_with(clique)
        return self._least[clique] <= cells

    def with_measured(self, clique: Clique) -> JunctionGraph:
        """Return the graph that `of` returns with this additional clique. Results for unchanged parts are
        kept.
        """
        adjacency = list(self.adjacency)
        _join(adjacency, _mask(self.domain, clique))
        if tuple(adjacency) == self.adjacency:
            return self
        blocks = blocks_of(adjacency, self.domain.sizes, self._enlargement.blocks)
        masks = tuple(mask for block in blocks for mask in block.masks)
        return JunctionGraph(self.domain, tuple(adjacency), masks, blocks, self._enlargement.found)

    def joined(self, *cliques: Clique) -> JunctionGraph:
        """Return the graph with additional cliques.

        Cliques inside a clique of the tree add edges but keep the tree: they join columns that are eliminated
        later, so no earlier cost changes. (A new elimination found a different tree in 2 of 380,000 random
        trials, in which new edges made a column free.) A clique that `bridges` is added to the tree.
        """
        adjacency, masks = list(self.adjacency), self.masks
        added = [_mask(self.domain, clique) for clique in cliques]
        for mask in added:
            _join(adjacency, mask)
        if not all(self._holds(mask) for mask in added):
            if len(added) == 1 and self.bridges(*cliques):
                masks = (*(other for other in masks if other & added[0] != other), added[0])
                if added[0].bit_count() == 2 and self._enlarged:
                    known = self._enlargement
                    kept = tuple(block for block in known.blocks if block.mask & added[0] != block.mask)
                    near = [0] * len(adjacency)
                    for i in bits(added[0]):
                        near[i] = added[0] & ~(1 << i)
                    blocks = (*kept, Block(added[0], tuple(near), self.domain.sizes))
                    return JunctionGraph(self.domain, tuple(adjacency), masks, blocks, known.found)
            else:
                blocks = blocks_of(adjacency, self.domain.sizes, self._enlargement.blocks)
                masks = tuple(mask for block in blocks for mask in block.masks)
                return JunctionGraph(self.domain, tuple(adjacency), masks, blocks, self._enlargement.found)
        return JunctionGraph(self.domain, tuple(adjacency), masks)

    def _hangs_on(self, mask: int) -> bool:
        """Whether some columns of the clique are isolated and the others are inside one clique of the tree.

        In this case, elimination starts with the isolated columns, and the remaining edges are inside a
        clique of the tree. So the tree stays the same, and the clique is added to it.
        """
        others = mask & ~self._alone
        return others != mask and self._holds(others)

    @property
    def _enlargement(self) -> Enlargement:
        """Return how a pair changes the cliques. It is made on first use, because few graphs need it."""
        if not self._enlarged:
            blocks = self._blocks or blocks_of(self.adjacency, self.domain.sizes)
            self._enlarged.append(Enlargement(blocks, self._known))
        return self._enlarged[0]

    @cached_property
    def _part(self) -> tuple[int, ...]:
        return first_connected(self.adjacency)

    def _swallowed(self, mask: int) -> int:
        """Return the number of cells of the tree's cliques that are inside a clique of unconnected
        columns.
        """
        inside = {other for i in bits(mask) for other in self._holding[i] if other & mask == other}
        return cells_of(inside, self.domain.sizes)

    @cached_property
    def _holding(self) -> tuple[tuple[int, ...], ...]:
        """Return the cliques of the tree that contain each column."""
        holding: list[list[int]] = [[] for _ in self.adjacency]
        for mask in self.masks:
            for i in bits(mask):
                holding[i].append(mask)
        return tuple(tuple(masks) for masks in holding)

    @cached_property
    def _alone(self) -> int:
        """Return the isolated columns, as a bitmask."""
        return sum(1 << i for i, neighbours in enumerate(self.adjacency) if not neighbours)

    def _holds(self, mask: int) -> bool:
        if not mask:
            return bool(self.masks)
        masks = self._holding[(mask & -mask).bit_length() - 1]
        return any(mask & other == mask for other in masks)


def _mask(domain: Domain, clique: Clique) -> int:
    mask = 0
    for axis in domain.axes(clique):
        mask |= 1 << axis
    return mask


def _join(adjacency: list[int], mask: int) -> None:
    for i in bits(mask):
        adjacency[i] |= mask & ~(1 << i)
