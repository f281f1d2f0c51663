"""How large a model would be: greedy triangulation on bitmasks.

A clique is a bitmask over the domain's columns, so that testing one more candidate costs about 0.1 ms at
15 columns and a mechanism can afford to test all of them in every round.
Source: min-weight elimination as in Koller and Friedman (2009), section 9.4.3; JT-SIZE as in AIM
(McKenna et al., 2022), section 4.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from synth.domain import Clique, Domain

_FINE = 2.0**40
"""Fixed-point units of a log-size."""


def bits(mask: int) -> Iterator[int]:
    """Positions of the set bits, ascending.

    >>> list(bits(0b10011))
    [0, 1, 4]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@lru_cache(maxsize=8)
def weigher(sizes: tuple[int, ...]) -> Callable[[int], int]:
    """The function that gives the log-size of a mask of columns, as an integer (so that ties are ties) and by
    tables over bytes."""
    logs = [round(math.log(size) * _FINE) for size in sizes]
    tables: list[list[int]] = []
    for start in range(0, len(logs), 8):
        table = [0]
        for weight in logs[start : start + 8]:
            table += [weight + entry for entry in table]
        tables.append(table)
    if len(tables) == 1:
        return tables[0].__getitem__

    def weigh(mask: int) -> int:
        weight = 0
        for table in tables:
            weight += table[mask & 255]
            mask >>= 8
            if not mask:
                break
        return weight

    return weigh


def triangulate(adjacency: Sequence[int], sizes: tuple[int, ...]) -> list[int]:
    """Maximal cliques of the graph after greedy min-weight elimination, as bitmasks.

    `adjacency[i]` is the mask of the neighbours of column i, without i. A column whose neighbours are all
    joined to each other goes first, since that joins nothing; without one the column whose clique has the
    fewest cells does. Ties go to the earlier column. A column is tested anew only when a neighbour has
    gone, and its clique can lie only in an earlier one that holds it.

    >>> [bin(clique) for clique in triangulate([0b10, 0b101, 0b010], (2, 2, 2))]
    ['0b11', '0b110']
    """
    near = [mask | 1 << v for v, mask in enumerate(adjacency)]
    remaining = dict.fromkeys(range(len(sizes)))
    left = (1 << len(sizes)) - 1
    maximal: list[int] = []
    holding: list[list[int]] = [[] for _ in sizes]
    cost = [0] * len(sizes)
    untested = unweighed = left
    while remaining:
        v = -1
        while untested and v < 0:
            lowest = untested & -untested
            untested ^= lowest
            u = lowest.bit_length() - 1
            v = u if _is_free(near, u) else -1
        if v < 0:
            weigh = weigher(sizes)
            for u in bits(unweighed & left):
                cost[u] = weigh(near[u])
            unweighed = 0
            v = min(remaining, key=cost.__getitem__)
        clique = near[v]
        is_maximal = not any(clique & other == clique for other in holding[v])
        if is_maximal:
            maximal.append(clique)
        if clique == left:
            break
        del remaining[v]
        left ^= 1 << v
        neighbours = clique & left
        untested = (untested | neighbours) & left
        unweighed |= neighbours
        for u in bits(neighbours):
            near[u] = (near[u] | neighbours) & left
            if is_maximal:
                holding[u].append(clique)
    return maximal


def _is_free(near: Sequence[int], v: int) -> bool:
    """Whether all neighbours of a column are joined to each other; `near` has the columns themselves, too."""
    clique = rest = near[v]
    while rest:
        lowest = rest & -rest
        if clique & ~near[lowest.bit_length() - 1]:
            return False
        rest ^= lowest
    return True


@lru_cache(maxsize=8)
def _cell_counter(sizes: tuple[int, ...]) -> Callable[[int], int]:
    """The function that gives the cells of a mask of columns, each mask worked out once."""
    return lru_cache(maxsize=1 << 16)(lambda mask: math.prod(sizes[i] for i in bits(mask)))


def cells_of(masks: Iterable[int], sizes: tuple[int, ...]) -> int:
    """Cells of all the cliques' tables together."""
    return sum(map(_cell_counter(sizes), masks))


@dataclass(frozen=True, eq=False)
class JunctionGraph:
    """A triangulated set of cliques over a domain; every column is in it, an isolated one by itself.

    `adjacency` and `masks` are bitmasks over the domain's columns.
    """

    domain: Domain
    adjacency: tuple[int, ...]
    masks: tuple[int, ...]
    _cells_with: dict[tuple[int, ...], int] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(domain: Domain, cliques: Iterable[Clique]) -> JunctionGraph:
        """The graph in which the columns of every clique are joined, triangulated."""
        adjacency = [0] * len(domain)
        for mask in {_mask(domain, clique) for clique in cliques}:
            _join(adjacency, mask)
        return JunctionGraph(domain, tuple(adjacency), tuple(triangulate(adjacency, domain.sizes)))

    @cached_property
    def cells(self) -> int:
        """Cells of the junction tree's tables."""
        return cells_of(self.masks, self.domain.sizes)

    @property
    def largest(self) -> int:
        """Cells of the largest clique of the tree."""
        return max(map(_cell_counter(self.domain.sizes), self.masks))

    @property
    def maximal(self) -> tuple[Clique, ...]:
        """The cliques of the junction tree."""
        return tuple(tuple(self.domain.names[i] for i in bits(mask)) for mask in self.masks)

    def contains(self, clique: Clique) -> bool:
        """Whether the clique lies inside a clique of the tree, so that adding it changes nothing."""
        return self._holds(_mask(self.domain, clique))

    def bridges(self, clique: Clique) -> bool:
        """Whether no two of its columns hang together, and the graph needs no edge to be triangulated. It
        then closes no circle, so that the graph with it needs none either, and its cliques are those of the
        tree and this one: those of a triangulated graph are unique."""
        parts = [self._part[i] for i in self.domain.axes(clique)]
        return len(set(parts)) == len(parts) and self._is_chordal

    def cells_with(self, clique: Clique) -> int:
        """Cells of the tree that a model measuring `clique` as well would have."""
        mask = _mask(self.domain, clique)
        if self._holds(mask):
            return self.cells
        adjacency = list(self.adjacency)
        _join(adjacency, mask)
        key = tuple(adjacency)
        if key not in self._cells_with:
            self._cells_with[key] = cells_of(triangulate(adjacency, self.domain.sizes), self.domain.sizes)
        return self._cells_with[key]

    def fits(self, clique: Clique, cells: float) -> bool:
        """Whether the clique may be measured as well by a model of at most so many cells; one that changes
        nothing always may. On wide domains most cliques hang on, and a try would cost 1 ms."""
        mask, size = _mask(self.domain, clique), self.domain.size(clique)
        if self._holds(mask):
            return True
        if self._hangs_on(mask) or self.bridges(clique):
            return self.cells + size - self._swallowed(mask) <= cells
        return size <= cells and self.cells_with(clique) <= cells

    def joined(self, *cliques: Clique) -> JunctionGraph:
        """The graph with more cliques.

        Those that lie inside a clique of the tree add edges but keep the tree: they join columns that the
        elimination reaches later, so that no earlier cost changes in its favour. (A fresh elimination found
        another tree in 2 of 380,000 random trials, where edges made a column free.) One that `bridges` is
        added to the tree's.
        """
        adjacency, masks = list(self.adjacency), self.masks
        added = [_mask(self.domain, clique) for clique in cliques]
        for mask in added:
            _join(adjacency, mask)
        if not all(self._holds(mask) for mask in added):
            if len(added) == 1 and self.bridges(*cliques):
                masks = (*(other for other in masks if other & added[0] != other), added[0])
            else:
                masks = tuple(triangulate(adjacency, self.domain.sizes))
        return JunctionGraph(self.domain, tuple(adjacency), masks)

    def _hangs_on(self, mask: int) -> bool:
        """Whether it has columns that were alone, and the others lie in one clique. Elimination starts with
        the lonely columns then, and what is left are edges inside a clique of the tree: the tree stays as it
        is and the clique is a new one of it."""
        others = mask & ~self._alone
        return others != mask and self._holds(others)

    @cached_property
    def _is_chordal(self) -> bool:
        """Whether the triangulation joined nothing."""
        return not any(mask & ~(self.adjacency[i] | 1 << i) for mask in self.masks for i in bits(mask))

    @cached_property
    def _part(self) -> tuple[int, ...]:
        """Of every column the first of those it hangs together with."""
        part = [-1] * len(self.adjacency)
        for first in range(len(part)):
            waiting = 1 << first if part[first] < 0 else 0
            while waiting:
                i = waiting.bit_length() - 1
                waiting ^= 1 << i
                part[i] = first
                waiting |= sum(1 << j for j in bits(self.adjacency[i]) if part[j] < 0)
        return tuple(part)

    def _swallowed(self, mask: int) -> int:
        """Cells of the tree's cliques that lie inside a clique that joins only columns apart."""
        inside = {other for i in bits(mask) for other in self._holding[i] if other & mask == other}
        return cells_of(inside, self.domain.sizes)

    @cached_property
    def _holding(self) -> tuple[tuple[int, ...], ...]:
        """Of every column the cliques of the tree that hold it."""
        holding: list[list[int]] = [[] for _ in self.adjacency]
        for mask in self.masks:
            for i in bits(mask):
                holding[i].append(mask)
        return tuple(tuple(masks) for masks in holding)

    @cached_property
    def _alone(self) -> int:
        """The columns without neighbours, as a bitmask."""
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
