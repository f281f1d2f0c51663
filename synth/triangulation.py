"""Greedy triangulation on bitmasks, and what one clique more would change of it.

A clique is a bitmask over the columns of a domain. Source: min-weight elimination as in Koller and Friedman
(2009), section 9.4.3.

A column whose neighbours are all joined to each other goes first, and in whatever order such columns go, the
same ones are left. So most of the elimination with one clique more is that without it: with its columns held
back, a part of the graph shrinks to what lies between them, which is all that has to be triangulated anew,
and what lies between them is often the same as it was before another clique was added.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from heapq import heapify, heappop, heappush

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


def triangulate(adjacency: Sequence[int], sizes: tuple[int, ...], among: int | None = None) -> list[int]:
    """Maximal cliques of the graph after greedy min-weight elimination, as bitmasks.

    `adjacency[i]` is the mask of the neighbours of column i, without i; `among` the columns that there are,
    all unless it is given. A column whose neighbours are all
    joined to each other goes first, since that joins nothing; without one the column whose clique has the
    fewest cells does. Ties go to the earlier column. A column is tested anew only when a neighbour has
    gone, and its clique can lie only in an earlier one that holds it.

    >>> [bin(clique) for clique in triangulate([0b10, 0b101, 0b010], (2, 2, 2))]
    ['0b11', '0b110']
    """
    left = (1 << len(sizes)) - 1 if among is None else among
    near = [(mask | 1 << v) & left for v, mask in enumerate(adjacency)]
    remaining = dict.fromkeys(bits(left))
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


_Graph = tuple[int, ...]
"""A mask of columns, that of a clique which is added, and the mask of each column's neighbours."""


@dataclass(frozen=True)
class Between:
    """A small graph after triangulation: cells of its cliques, and those cliques that it had before one was
    added to it."""

    cells: int
    joined: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Rooted:
    """A part of a graph after all columns but one, the root, were taken away that join nothing.

    `core` are the columns left, the root among them. Of a column that went, `above` are it and those that it
    cannot go before, and `cells` those of its clique where that is maximal; `whole` is their sum. `holding`
    has of every column such cliques, each with the bit of the column it went with.
    """

    core: int
    above: Mapping[int, int]
    cells: Mapping[int, int]
    whole: int
    holding: Mapping[int, Sequence[tuple[int, int]]]

    @staticmethod
    def of(adjacency: Sequence[int], mask: int, root: int, sizes: tuple[int, ...]) -> Rooted:
        """Of the part with the columns of a mask."""
        near = {v: adjacency[v] | 1 << v for v in bits(mask)}
        left, untested = mask, mask & ~(1 << root)
        order: list[int] = []
        while untested:
            lowest = untested & -untested
            untested ^= lowest
            v = lowest.bit_length() - 1
            clique = near[v] = near[v] & left
            if all(not clique & ~near[u] for u in bits(clique ^ lowest)):
                order.append(v)
                left ^= lowest
                untested |= clique & left & ~(1 << root)
        holding: dict[int, list[tuple[int, int]]] = {v: [] for v in near}
        cells = dict.fromkeys(order, 0)
        for v in order:
            if not any(near[v] & clique == near[v] for clique, _ in holding[v]):
                cells[v] = cells_of([near[v]], sizes)
                for u in bits(near[v]):
                    holding[u].append((near[v], 1 << v))
        above: dict[int, int] = {}
        place = {v: n for n, v in enumerate(order)}
        for v in reversed(order):
            later = [u for u in bits(near[v] & ~left) if u != v]
            first = min(later, key=place.__getitem__) if later else None
            above[v] = 1 << v | (above[first] if first is not None else 0)
        return Rooted(left, above, cells, sum(cells.values()), holding)


@dataclass(frozen=True, eq=False)
class Part:
    """Columns that hang together: their cliques after triangulation, and what was worked out of them.

    `known` has the cliques of small graphs that came up before. `cells_with` is what `enlarged` found.
    """

    mask: int
    adjacency: tuple[int, ...]
    masks: tuple[int, ...]
    sizes: tuple[int, ...]
    known: Mapping[_Graph, Between] = field(default_factory=dict, repr=False)
    found: dict[_Graph, Between] = field(default_factory=dict, repr=False)
    cells_with: dict[int, int] = field(default_factory=dict, repr=False)
    _rooted: dict[int, Rooted] = field(default_factory=dict, repr=False)

    @cached_property
    def cells(self) -> int:
        """Cells of its cliques."""
        return cells_of(self.masks, self.sizes)

    def is_like(self, mask: int, adjacency: Sequence[int]) -> bool:
        """Whether it is this part of the graph."""
        return self.mask == mask and all(self.adjacency[i] == adjacency[i] for i in bits(mask))

    def rooted(self, root: int) -> Rooted:
        if root not in self._rooted:
            self._rooted[root] = Rooted.of(self.adjacency, self.mask, root, self.sizes)
        return self._rooted[root]


def parts_of(
    adjacency: tuple[int, ...], masks: Sequence[int], sizes: tuple[int, ...], before: Iterable[Part] = ()
) -> tuple[Part, ...]:
    """The connected parts of a triangulated graph with these cliques; those of `before` where they are the
    same, and what they knew of others that they have become a part of."""
    kept, parts, left = tuple(before), list[Part](), (1 << len(sizes)) - 1
    while left:
        part, fresh = 0, left & -left
        while fresh:
            part |= fresh
            fresh = _union(adjacency[i] for i in bits(fresh)) & ~part
        left &= ~part
        same = next((p for p in kept if p.is_like(part, adjacency)), None)
        if same is None:
            known = {graph: found for p in kept if p.mask & part for graph, found in p.found.items()}
            own = tuple(mask for mask in masks if mask & part)
            same = Part(part, adjacency, own, sizes, known)
        parts.append(same)
    return tuple(parts)


def enlarged(parts: Sequence[Part], mask: int) -> int:
    """Cells of the cliques of these parts, all of which a clique touches, once it is added to them. It lies
    in no clique of theirs.

    The parts shrink to the clique's columns and what lies between them (`Rooted`); that is triangulated, and
    the cliques of what went are what they were.
    """
    first = parts[0]
    if len(parts) == 1 and mask in first.cells_with:
        return first.cells_with[mask]
    among, cells, rooted = mask, 0, list[Rooted]()
    for part in parts:
        mine = part.mask & mask
        shrunk = part.rooted((mine & -mine).bit_length() - 1)
        above = _union(shrunk.above[v] for v in bits(mine & ~shrunk.core))
        among |= shrunk.core | above
        cells += shrunk.whole - sum(shrunk.cells[v] for v in bits(above))
        rooted.append(shrunk)
    near = [0] * len(first.sizes)
    for part in parts:
        for i in bits(part.mask & among):
            near[i] = part.adjacency[i] & among
    graph = (among, mask, *filter(None, near))
    found = next((part.known[graph] for part in parts if graph in part.known), None)
    if found is None:
        found = _between(near, mask, among, first.sizes)
    first.found[graph] = found
    cells += found.cells
    for clique in found.joined:
        held = (pair for shrunk in rooted for pair in shrunk.holding.get(clique.bit_length() - 1, ()))
        if any(clique & other == clique and not went & among for other, went in held):
            cells -= cells_of([clique], first.sizes)
    if len(parts) == 1:
        first.cells_with[mask] = cells
    return cells


def _between(near: Sequence[int], mask: int, among: int, sizes: tuple[int, ...]) -> Between:
    """The cliques of a small graph once a clique is added to it."""
    joined = [n | (mask & ~(1 << i) if mask >> i & 1 else 0) for i, n in enumerate(near)]
    if all(n.bit_count() == 2 for n in joined if n):
        return Between(circle_cells(joined, among, sizes), ())
    cliques = triangulate(joined, sizes, among)
    before = (c for c in cliques if all(not c & ~(near[i] | 1 << i) for i in bits(c)))
    return Between(cells_of(cliques, sizes), tuple(before))


def circle_cells(adjacency: Sequence[int], among: int, sizes: tuple[int, ...]) -> int:
    """Cells of the cliques that `triangulate` finds of a circle of columns, for less: the lightest column
    goes, and its two neighbours are neighbours then.

    >>> circle_cells([0b1010, 0b0101, 0b1010, 0b0101], 0b1111, (2, 9, 2, 9))
    72
    """
    weigh = weigher(sizes)
    around = {v: tuple(bits(adjacency[v])) for v in bits(among)}
    weights = {v: weigh(adjacency[v] | 1 << v) for v in around}
    waiting = [(weight, v) for v, weight in weights.items()]
    heapify(waiting)
    cells = 0
    while len(around) > 3:
        weight, v = heappop(waiting)
        if weights.get(v) != weight:
            continue
        one, other = around.pop(v)
        del weights[v]
        cells += sizes[v] * sizes[one] * sizes[other]
        for u, instead in ((one, other), (other, one)):
            a, b = around[u]
            around[u] = a, b = (instead, b) if a == v else (a, instead)
            weights[u] = weigh(1 << u | 1 << a | 1 << b)
            heappush(waiting, (weights[u], u))
    return cells + math.prod(sizes[v] for v in around)


def _union(masks: Iterable[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union
