"""Define structural zeros, which are cells that no row can be in.

A structural zero is public, because it follows from a law or from logic, and never from the file.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain


@dataclass(frozen=True, eq=False)
class Zero:
    """The forbidden cells of one clique.

    Shapes: `forbidden: bool[shape(clique)]`, True for cells that no row may be in. The clique may be a single
    column. For example, the missing code is forbidden in a column that cannot be blank.
    """

    clique: Clique
    forbidden: NDArray[np.bool_]

    def __post_init__(self) -> None:
        if self.forbidden.dtype != np.bool_ or self.forbidden.ndim != len(self.clique):
            raise ValueError("a structural zero needs one boolean axis per column of its clique")

    def grouped(self, groups: Mapping[str, Sequence[int]]) -> Zero:
        """Return the same structural zero in groups of codes. `groups[column][code]` is the group of a code.

        Raises: ValueError if a group has both forbidden and possible codes.
        """
        forbidden = self.forbidden
        for axis, name in enumerate(self.clique):
            if name in groups:
                group_of = list(groups[name])
                first = [group_of.index(group) for group in range(max(group_of) + 1)]
                some = forbidden.take(first, axis=axis)
                if not np.array_equal(some.take(group_of, axis=axis), forbidden):
                    raise ValueError("a group merges codes that a structural zero distinguishes")
                forbidden = some
        return Zero(self.clique, forbidden)


def allowed_cells(domain: Domain, clique: Clique, zeros: Iterable[Zero]) -> NDArray[np.bool_]:
    """Return the cells of a clique that a row can be in, according to the structural zeros inside the clique.

    Shapes: bool[shape(clique)], True for allowed cells.
    """
    allowed = np.ones(domain.shape(clique), dtype=np.bool_)
    members = set(clique)
    for zero in zeros:
        if set(zero.clique) <= members:
            order = sorted(range(len(zero.clique)), key=lambda i: clique.index(zero.clique[i]))
            table = np.transpose(zero.forbidden, order)
            shape = [domain.sizes[domain.axis(name)] if name in zero.clique else 1 for name in clique]
            allowed &= ~table.reshape(shape)
    return allowed


def allowed_count(domain: Domain, clique: Clique, zeros: Iterable[Zero]) -> int:
    """Return the number of allowed cells of a clique, without building a table of columns that no zero
    joins.
    """
    inside = [zero for zero in zeros if set(zero.clique) <= set(clique)]
    tied = {name for zero in inside if len(zero.clique) > 1 for name in zero.clique}
    alone = [allowed_cells(domain, (name,), inside) for name in clique if name not in tied]
    together = tuple(name for name in clique if name in tied)
    return math.prod(int(a.sum()) for a in (*alone, allowed_cells(domain, together, inside)))
