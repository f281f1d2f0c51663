"""Order the nodes of a directed graph, and find its cycles and connected parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import networkx as nx

Edges = Iterable[tuple[str, str]]


def ranks(edges: Edges) -> dict[str, int]:
    """Return a number for each node. Along an edge it increases, or is equal if the edge is in a cycle.

    >>> ranks([("a", "b"), ("b", "a"), ("b", "c")])
    {'a': 0, 'b': 0, 'c': 1}
    """
    packed = nx.condensation(nx.DiGraph(edges))
    places = ((rank, packed.nodes[part]["members"]) for rank, part in enumerate(nx.topological_sort(packed)))
    return dict(sorted((node, rank) for rank, members in places for node in members))


def connected(edges: Edges) -> Iterator[set[str]]:
    """Yield the nodes of each connected part, ignoring the directions of edges."""
    yield from nx.connected_components(nx.Graph(edges))
