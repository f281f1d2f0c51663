"""Find the most informative wider marginals, each of which consists of a column and its parents (a family).

Source: PrivMRF (Cai et al., VLDB 2021, section 4.3). The score of a family is the score of correlation-based
feature selection (Hall 1999), which is high if the parents depend strongly on the child and weakly on each
other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain, maximal

Strength = NDArray[np.float64]
"""The dependence of each pair of columns. Shapes: float64[d, d], symmetric, in [0, 1]."""


def r_score(strength: Strength, child: int, parents: Iterable[int]) -> float:
    """Return sum_p s(child, p) / sqrt(|P| + sum_{p < p'} s(p, p')); 0 without parents.

    >>> round(r_score(np.array([[0, 0.6, 0.8], [0.6, 0, 0], [0.8, 0, 0]]), 0, [1, 2]), 3)
    0.99
    """
    chosen = list(parents)
    if not chosen:
        return 0.0
    among = sum(strength[p, q] for p, q in combinations(chosen, 2))
    return float(strength[child, chosen].sum() / math.sqrt(len(chosen) + among))


def families(
    domain: Domain,
    cliques: Iterable[Clique],
    strength: Strength,
    *,
    useful: Callable[[Clique], bool],
    most: int,
) -> list[Clique]:
    """Return at most `most` marginals that together cover every column, with none of them inside another.

    A network is built in every clique. It starts with the column on which the other columns depend most, and
    repeatedly adds the column whose family has the highest score. Parents are chosen from the earlier
    columns: the parent that increases the score most is added while the family is `useful`. The best family
    of each column is kept, followed by further families in the order of their scores. A column without a
    family is added as a one-way marginal.
    """
    scored: dict[Clique, float] = {}
    best: dict[int, Clique] = {}
    for clique in cliques:
        for child, family, score in _network(domain, clique, strength, useful):
            scored[family] = max(score, scored.get(family, 0.0))
            if child not in best or score > scored[best[child]]:
                best[child] = family
    kept = maximal(best.values())
    kept += [(name,) for name in domain.names if not any(name in family for family in kept)]
    for family in sorted(scored, key=scored.__getitem__, reverse=True):
        if len(kept) < most and not any(set(family) <= set(other) for other in kept):
            kept = maximal([*kept, family])
    return kept


def _network(
    domain: Domain, clique: Clique, strength: Strength, useful: Callable[[Clique], bool]
) -> Iterable[tuple[int, Clique, float]]:
    """Return the families of a greedy Bayesian network over a clique, as (child, family, score)."""
    left = list(domain.axes(clique))
    placed = [max(left, key=lambda i: strength[i, left].sum())]
    left.remove(placed[0])
    while left:
        parents = {child: _parents(domain, child, placed, strength, useful) for child in left}
        scores = {child: r_score(strength, child, parents[child]) for child in left}
        child = max(left, key=scores.__getitem__)
        yield child, _family(domain, child, parents[child]), scores[child]
        left.remove(child)
        placed.append(child)


def _parents(
    domain: Domain, child: int, placed: list[int], strength: Strength, useful: Callable[[Clique], bool]
) -> list[int]:
    """Return a set of parents to which no further parent can be added."""
    parents: list[int] = []
    while True:
        rest = [p for p in placed if p not in parents and useful(_family(domain, child, [*parents, p]))]
        if not rest:
            return parents
        parents.append(max(rest, key=lambda p: r_score(strength, child, [*parents, p])))


def _family(domain: Domain, child: int, parents: list[int]) -> Clique:
    return tuple(domain.names[i] for i in sorted([child, *parents]))
