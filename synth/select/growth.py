"""A clique tree grown greedily: which pairs one graphical model of limited size can hold.

Source of the idea: PrivMRF and ABSyn grow a triangulated graph by the strength of pairs under a cap on its
cliques. Differs in: several penalties on the size of a pair are tried, and the caller, who knows what the
tables would cost, keeps the best; everything follows from noisy scores and public sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from synth.domain import Clique, Domain

Triangulate = Callable[[Sequence[Clique]], Sequence[Clique]]
"""From cliques to the maximal cliques of a triangulated graph that holds them all."""

PENALTIES = (0.0, 0.15, 0.3, 0.5, 0.8)
"""Powers of a pair's size by which its value is divided before the greedy order is made."""


def grow(
    domain: Domain,
    values: Mapping[Clique, float],
    *,
    cap: int,
    triangulate: Triangulate,
    fixed: Sequence[Clique] = (),
) -> Iterator[tuple[Clique, ...]]:
    """For each penalty the pairs that its tree supports, each tree once.

    `values`: what each pair is worth; those of no value are not grown for, but may turn out to be supported.
    `cap`: most cells of a clique of the tree. `fixed`: cliques that are in every tree, whatever their size.
    """
    allowed = max([cap, *(domain.size(c) for c in triangulate(fixed))])
    seen: set[tuple[Clique, ...]] = set()
    for penalty in PENALTIES:
        worth = {r: value / domain.size(r) ** penalty for r, value in values.items() if value > 0}
        tree, maximal = list(fixed), list(triangulate(fixed))
        for pair in sorted(worth, key=worth.__getitem__, reverse=True):
            if _inside(pair, maximal):
                continue
            larger = triangulate([*tree, pair])
            if max(domain.size(c) for c in larger) <= allowed:
                tree, maximal = [*tree, pair], list(larger)
        supported = tuple(r for r in values if _inside(r, maximal))
        if supported not in seen:
            seen.add(supported)
            yield supported


def _inside(pair: Clique, cliques: Sequence[Clique]) -> bool:
    return any(set(pair) <= set(clique) for clique in cliques)
