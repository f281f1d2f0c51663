"""List the families that a growing Bayesian network can add."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb

from synth.core.domain import Clique, Domain

MOST_ROWS_READ = 4e9
"""Maximum number of rows that a search for a network reads, one table after the other: about 15 seconds."""

FEWEST_ROWS = 10**5
"""Counting a table costs at least as much as reading this many rows, because of the overhead of calls."""


def most_parents(columns: int, *, wanted: int, rows: float) -> int:
    """Return the largest number of parents, from 1 to `wanted`, with which the search reads at most
    MOST_ROWS_READ rows.

    With v columns placed and d - v waiting, there are, over all rounds, sum_v (d - v) C(v, k) = C(d + 1, k +
    2) families of k parents. It uses public sizes and a noisy number of rows.
    """
    rows = max(rows, FEWEST_ROWS)
    able = [k for k in range(1, wanted + 1) if comb(columns + 1, k + 2) * rows <= MOST_ROWS_READ]
    return max(able, default=1)


def families(
    domain: Domain,
    placed: Sequence[str],
    waiting: Sequence[str],
    *,
    parents: int,
    allowed: Callable[[Clique], bool],
) -> dict[Clique, str]:
    """Return the cliques that join one waiting column to placed ones, and the child in each.

    There are at most `parents` parents. More parents never give less information about a child, so a set of
    parents is left out if a larger one is allowed (PrivBayes' maximal parent sets). If no column is placed
    yet, return every pair of waiting columns, with the later one as the child.

    >>> families(Domain(("a", "b", "c"), (2, 2, 2)), "ab", "c", parents=2, allowed=lambda r: len(r) < 3)
    {('a', 'c'): 'c', ('b', 'c'): 'c'}
    """
    if not placed:
        return {(a, b): b for a, b in combinations(waiting, 2) if allowed((a, b))}
    children: dict[Clique, str] = {}
    for child in waiting:
        surpassed: set[tuple[str, ...]] = set()
        for k in range(min(parents, len(placed)), 0, -1):
            for group in combinations(placed, k):
                clique = domain.clique((child, *group))
                is_maximal = group not in surpassed and allowed(clique)
                if is_maximal:
                    children[clique] = child
                if is_maximal or group in surpassed:
                    surpassed.update(combinations(group, k - 1))
    return children
