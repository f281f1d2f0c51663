"""Grow a clique tree greedily: select the pairs for a graphical model of limited size.

Source of the idea: PrivMRF and ABSyn grow a triangulated graph by the strength of pairs, with a limit on the
size of its cliques. Difference: several penalties on the size of a pair are tried, and the caller, which
knows the cost of the tables, keeps the best tree. Everything depends only on noisy scores and public sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol, Self

from synth.core.domain import Clique, Domain

PENALTIES = (0.0, 0.15, 0.3, 0.5, 0.8)
"""Exponents of the size penalty: the greedy order divides the value of a pair by this power of its size."""

MOST_REFUSED = 2_000
"""Number of rejected pairs after which only pairs that close no cycle are tried. It exceeds the number of
pairs of 63 columns. Each attempt is a triangulation of all columns, and nearly all of the 124,750 pairs of
500 columns are rejected.
"""

MOST_COLUMNS = 63
"""Number of columns above which fewer pairs can be rejected, because a triangulation takes longer."""


class Graph(Protocol):
    """Interface of a triangulated graph, which determines a clique tree."""

    @property
    def largest(self) -> int:
        """Return the number of cells of the largest clique."""
        ...

    def contains(self, clique: Clique) -> bool:
        """Return whether the clique is inside one of the graph's cliques."""
        ...

    def bridges(self, clique: Clique) -> bool:
        """Return whether the clique closes no cycle, so that it can be added without a triangulation."""
        ...

    def largest_with(self, clique: Clique) -> int:
        """Return the number of cells of the largest clique after adding this clique."""
        ...

    def joined(self, *cliques: Clique) -> Self:
        """Return the graph with additional cliques."""
        ...


def grow(
    domain: Domain, values: Mapping[Clique, float], *, cap: int, start: Graph
) -> Iterator[tuple[Clique, ...]]:
    """Yield the pairs that each tree contains, one tree for each penalty. Equal trees are yielded once.

    `values`: the value of each pair. Pairs without a value are not tried, but the resulting tree may contain
    them. After `MOST_REFUSED` rejected pairs, only pairs that connect unconnected columns are tried. `cap`:
    the maximum number of cells of a clique. `start`: cliques that are in every tree, regardless of their
    size.
    """
    allowed = max(cap, start.largest)
    fits_whole = domain.size() <= allowed
    most = MOST_REFUSED * min(MOST_COLUMNS / max(len(domain), 1), 1.0)
    given: set[tuple[Clique, ...]] = set()
    tried: set[tuple[Clique, ...]] = set()
    for penalty in PENALTIES:
        worth = {r: value / domain.size(r) ** penalty for r, value in values.items() if value > 0}
        order = tuple(sorted(worth, key=worth.__getitem__, reverse=True))
        if order in tried:  # such as for columns of the same size
            continue
        tried.add(order)
        graph = start.joined(*worth) if fits_whole else start
        refused = 0
        for pair in order:
            if graph.contains(pair):
                continue
            is_bridge = graph.bridges(pair)
            if refused >= most and not is_bridge:
                continue
            largest = domain.size(pair) if is_bridge else graph.largest_with(pair)
            if largest <= allowed:
                graph = graph.joined(pair)
            else:
                refused += 1
        supported = tuple(r for r in values if graph.contains(r))
        if supported not in given:
            given.add(supported)
            yield supported
