"""Structural zeros: cells that no possible record can fall into.

A zero is public: it comes from law or logic, never from looking at the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.domain import Clique, Domain


@dataclass(frozen=True, eq=False)
class Zero:
    """Forbidden cells of one clique.

    Shapes: `forbidden: bool[shape(clique)]`, True where no record may be. One-way zeros are allowed:
    a column that cannot be blank forbids its own missing code.
    """

    clique: Clique
    forbidden: NDArray[np.bool_]

    def __post_init__(self) -> None:
        if self.forbidden.dtype != np.bool_ or self.forbidden.ndim != len(self.clique):
            raise ValueError("a structural zero needs one boolean axis per column of its clique")


def allowed_cells(domain: Domain, clique: Clique, zeros: Iterable[Zero]) -> NDArray[np.bool_]:
    """Which cells of a clique some record may fall into, by the zeros that lie inside the clique.

    Shapes: bool[shape(clique)], True where allowed.
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
