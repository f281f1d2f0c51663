"""Define the domain (names and sizes) of the columns of an encoded table, and operations on sets of
columns.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

CodeColumn = NDArray[np.unsignedinteger[Any]]
"""The codes of a column, one per row, in the smallest type that can store them."""

Clique = tuple[str, ...]
"""A set of column names, in domain order without repetitions."""


@dataclass(frozen=True)
class Domain:
    """Columns in a fixed order, with the number of codes of each.

    >>> d = Domain(("age", "sex"), (10, 2))
    >>> d.shape(("age", "sex")), d.size(("sex",)), d.clique(["sex", "age"])
    ((10, 2), 2, ('age', 'sex'))
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    _index: dict[str, int] = field(init=False, repr=False, compare=False, hash=False, default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.names) != len(self.sizes):
            raise ValueError(f"a domain needs a size for every name: {len(self.names)} and {len(self.sizes)}")
        if len(set(self.names)) != len(self.names):
            raise ValueError("a domain cannot contain a name twice")
        if any(size < 1 for size in self.sizes):
            raise ValueError("every size of a domain must be positive")
        self._index.update((name, i) for i, name in enumerate(self.names))

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def axis(self, name: str) -> int:
        """Return the position of a column."""
        return self._index[name]

    def axes(self, clique: Iterable[str]) -> tuple[int, ...]:
        """Return the positions of a clique's columns."""
        return tuple(self._index[name] for name in clique)

    def clique(self, names: Iterable[str]) -> Clique:
        """Return the canonical clique, in domain order and without repetitions."""
        return tuple(sorted(set(names), key=self._index.__getitem__))

    def shape(self, clique: Sequence[str]) -> tuple[int, ...]:
        """Return the shape of the clique's table."""
        return tuple(self.sizes[self._index[name]] for name in clique)

    def size(self, clique: Sequence[str] | None = None) -> int:
        """Return the number of cells of a clique's table, or of the whole domain without an argument."""
        return math.prod(self.sizes if clique is None else self.shape(clique))

    def project(self, clique: Sequence[str]) -> Domain:
        """Return the domain of some of the columns, in the given order."""
        return Domain(tuple(clique), self.shape(clique))

    def with_sizes(self, sizes: Mapping[str, int]) -> Domain:
        """Return the same columns, with different sizes for some of them."""
        return Domain(self.names, tuple(sizes.get(n, s) for n, s in zip(self.names, self.sizes, strict=True)))


def smallest_dtype(size: int) -> np.dtype[np.unsignedinteger[Any]]:
    """Return the smallest unsigned type that can store the codes 0 .. size-1."""
    return np.dtype(np.min_scalar_type(max(size - 1, 0)))


def subsets(clique: Clique, *, smallest: int = 1) -> list[Clique]:
    """Return all subsets of a clique with at least `smallest` members, smallest subsets first, in a fixed
    order.

    >>> subsets(("a", "b"))
    [('a',), ('b',), ('a', 'b')]
    """
    return [c for k in range(smallest, len(clique) + 1) for c in combinations(clique, k)]


def closure(cliques: Iterable[Clique]) -> list[Clique]:
    """Return the downward closure W+ (McKenna et al. 2022, Def. 3): all non-empty subsets of the members.

    >>> closure([("a", "b"), ("b",)])
    [('a',), ('b',), ('a', 'b')]
    """
    return sorted(dict.fromkeys(part for clique in cliques for part in subsets(clique)), key=len)


def maximal(cliques: Iterable[Clique]) -> list[Clique]:
    """Return the cliques that are not subsets of another clique, in the order of their first occurrence.

    >>> maximal([("a",), ("a", "b"), ("c",)])
    [('a', 'b'), ('c',)]
    """
    unique = list(dict.fromkeys(cliques))
    sets = [frozenset(c) for c in unique]
    return [c for c, s in zip(unique, sets, strict=True) if not any(s < other for other in sets)]
