"""Grow a clique tree greedily: choose the pairs for a graphical model of limited size.

Source of the idea: PrivMRF and ABSyn grow a triangulated graph by the strength of pairs, with a limit on its
cliques. Differs in: several penalties on the size of a pair are tried, and the caller, who knows the cost of
the tables, keeps the best tree. Everything follows from noisy scores and public sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol, Self

from synth.core.domain import Clique, Domain

PENALTIES = (0.0, 0.15, 0.3, 0.5, 0.8)
"""Powers of a pair's size by which its value is divided to compute the greedy order."""

MOST_REFUSED = 2_000
"""Number of refused pairs after which only pairs that close no cycle are tried: all pairs of 63 columns. Each
trial is a triangulation of all columns, and nearly all of the 124,750 pairs of 500 columns are refused.
"""

MOST_COLUMNS = 63
"""With more columns, fewer pairs can be refused, because a triangulation takes longer in proportion."""


class Graph(Protocol):
    """A triangulated graph, which determines a clique tree."""

    @property
    def largest(self) -> int:
        """Number of cells of its largest clique."""
        ...

    def contains(self, clique: Clique) -> bool:
        """Whether the clique is inside one of its cliques."""
        ...

    def bridges(self, clique: Clique) -> bool:
        """Whether the clique closes no cycle, so that it can be added without a triangulation."""
        ...

    def joined(self, *cliques: Clique) -> Self:
        """Return the graph with more cliques."""
        ...


def grow(
    domain: Domain, values: Mapping[Clique, float], *, cap: int, start: Graph
) -> Iterator[tuple[Clique, ...]]:
    """Yield, for each penalty, the pairs that its tree supports; each tree is yielded once.

    `values`: the value of each pair; pairs without value are not tried, but may be supported in the end.
    After `MOST_REFUSED` refused pairs, only pairs that connect unconnected columns are tried. `cap`: the
    largest number of cells of a clique of the tree. `start`: cliques in every tree, regardless of their size.
    """
    allowed = max(cap, start.largest)
    fits_whole = domain.size() <= allowed
    most = MOST_REFUSED * min(MOST_COLUMNS / max(len(domain), 1), 1.0)
    given: set[tuple[Clique, ...]] = set()
    for penalty in PENALTIES:
        worth = {r: value / domain.size(r) ** penalty for r, value in values.items() if value > 0}
        graph = start.joined(*worth) if fits_whole else start
        refused = 0
        for pair in sorted(worth, key=worth.__getitem__, reverse=True):
            if graph.contains(pair):
                continue
            if refused >= most and not graph.bridges(pair):
                continue
            larger = graph.joined(pair)
            if larger.largest <= allowed:
                graph = larger
            else:
                refused += 1
        supported = tuple(r for r in values if graph.contains(r))
        if supported not in given:
            given.add(supported)
            yield supported
