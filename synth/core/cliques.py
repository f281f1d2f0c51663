"""Operations on sets of columns: subsets, closure, maximal members."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from synth.core.domain import Clique


def subsets(clique: Clique, *, smallest: int = 1) -> list[Clique]:
    """Return all subsets of a clique with at least `smallest` members, small ones first, in the same order.

    >>> subsets(("a", "b"))
    [('a',), ('b',), ('a', 'b')]
    """
    return [c for k in range(smallest, len(clique) + 1) for c in combinations(clique, k)]


def closure(cliques: Iterable[Clique]) -> list[Clique]:
    """Return the downward closure W+ (McKenna et al. 2022, Def. 3): each non-empty subset of a member, once.

    >>> closure([("a", "b"), ("b",)])
    [('a',), ('b',), ('a', 'b')]
    """
    return sorted(dict.fromkeys(part for clique in cliques for part in subsets(clique)), key=len)


def is_subset(inner: Iterable[str], outer: Iterable[str]) -> bool:
    """Whether each member of `inner` is in `outer`."""
    return set(inner) <= set(outer)


def maximal(cliques: Iterable[Clique]) -> list[Clique]:
    """Return the members that are not a subset of another member, in the order of their first occurrence.

    >>> maximal([("a",), ("a", "b"), ("c",)])
    [('a', 'b'), ('c',)]
    """
    unique = list(dict.fromkeys(cliques))
    sets = [frozenset(c) for c in unique]
    return [c for c, s in zip(unique, sets, strict=True) if not any(s < other for other in sets)]
