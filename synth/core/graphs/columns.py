"""Compute connected components, blocks and maximum spanning forests of graphs of columns.

Columns are numbered 0 .. n - 1. `adjacency[i]` is the bitmask of the neighbours of column i, without i.
Triangulation itself uses bitmasks (`triangulation`), because AIM evaluates it for each candidate in each
round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import networkx as nx


def graph_of(adjacency: Sequence[int]) -> nx.Graph:
    """Return the graph with the given neighbours. Nodes and neighbours are in ascending order."""
    graph = nx.Graph()
    graph.add_nodes_from(range(len(adjacency)))
    for i, mask in enumerate(adjacency):
        graph.add_edges_from((i, j) for j in bits(mask) if j > i)
    return graph


def first_connected(adjacency: Sequence[int]) -> tuple[int, ...]:
    """Return the first column of the connected component of each column.

    >>> first_connected([0b100, 0, 0b001])
    (0, 1, 0)
    """
    first, seen = [0] * len(adjacency), 0
    for root in range(len(adjacency)):
        if seen >> root & 1:
            continue
        part = new = 1 << root
        while new:
            near = 0
            for i in bits(new):
                near |= adjacency[i]
                first[i] = root
            new = near & ~part
            part |= new
        seen |= part
    return tuple(first)


def block_masks(adjacency: Sequence[int]) -> list[int]:
    """Return the biconnected blocks as bitmasks. An isolated column is a block by itself.

    The blocks of a component are in depth-first order, and the components are in the order of their first
    columns.

    >>> [bin(mask) for mask in block_masks([0b010, 0b101, 0b010, 0])]
    ['0b110', '0b11', '0b1000']
    """
    found: list[int] = []
    number = [-1] * len(adjacency)
    low = [0] * len(adjacency)
    seen = 0
    for root, neighbours in enumerate(adjacency):
        if seen >> root & 1:
            continue
        seen |= 1 << root
        if not neighbours:
            found.append(1 << root)
            continue
        number[root] = low[root] = count = 0
        path, kept = [root], []  # the columns from the root, and the columns whose block is not complete
        while path:
            v = path[-1]
            rest = adjacency[v] & ~seen
            if rest:
                lowest = rest & -rest
                u = lowest.bit_length() - 1
                seen |= lowest
                count += 1
                number[u] = count
                low[u] = min(number[w] for w in bits(adjacency[u] & seen & ~lowest))
                path.append(u)
                kept.append(u)
                continue
            path.pop()
            if not path:
                continue
            above = path[-1]
            if low[v] >= number[above]:
                block = 1 << above
                while True:
                    u = kept.pop()
                    block |= 1 << u
                    if u == v:
                        break
                found.append(block)
            else:
                low[above] = min(low[above], low[v])
    return found


def strongest_forest(columns: int, weights: Mapping[tuple[int, int], float]) -> dict[int, int | None]:
    """Return the parent of each column in the spanning forest with the largest sum of positive weights.

    Parents come before their children. The root of a tree is its first column and has no parent.

    >>> strongest_forest(3, {(0, 1): 1.0, (0, 2): 3.0, (1, 2): 2.0})
    {0: None, 2: 0, 1: 2}
    """
    graph, forest = nx.Graph(), nx.Graph()
    graph.add_weighted_edges_from((a, b, weight) for (a, b), weight in weights.items() if weight > 0)
    forest.add_edges_from(nx.maximum_spanning_edges(graph, data=False))
    parents: dict[int, int | None] = {}
    for root in range(columns):
        if root not in parents:
            parents[root] = None
            if root in forest:
                parents.update((child, parent) for parent, child in nx.bfs_edges(forest, root))
    return parents


def bits(mask: int) -> Iterator[int]:
    """Yield the positions of the set bits, in ascending order.

    >>> list(bits(0b10011))
    [0, 1, 4]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
