"""List the families that a growing Bayesian network can add."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb

from synth.core.domain import Clique, Domain

MOST_ROWS_READ = 4e9
"""Maximum number of rows that a search for a network reads over all tables. This takes about 15 seconds."""

FEWEST_ROWS = 10**5
"""Minimum cost of counting a table, in rows read, because of the overhead of calls."""


def most_parents(columns: int, *, wanted: int, rows: float) -> int:
    """Return the largest number of parents, from 1 to `wanted`, for which the search reads at most
    MOST_ROWS_READ rows.

    If v columns are placed and d - v are not, there are (d - v) C(v, k) families of k parents. Over all
    rounds, sum_v (d - v) C(v, k) = C(d + 1, k + 2). Only public sizes and a noisy number of rows are used.
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
    """Return the cliques that connect one column of `waiting` to columns of `placed`, and the child in each
    clique.

    A child has at most `parents` parents. A larger set of parents never contains less information about a
    child, so a set is excluded if a larger one is allowed (maximal parent sets in PrivBayes). If no column is
    placed yet, every pair of waiting columns is returned, with the later column as the child.

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
