"""Measure the noisy interaction of a clique.

The interaction is the part of the clique's table that does not follow from the tables of its subsets.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.measurements.interactions import ASK, contrasted, part_of_price, shape_of, squared_lengths
from synth.private.exact_tables import ExactTables, Groups
from synth.private.queries.base import ScaledQuery, is_canonical
from synth.private.terms import Terms


@dataclass(frozen=True)
class Interaction(ScaledQuery):
    """The contrasts of a clique's table of counts (`synth.core.measurements.interactions`).

    `sizes` contains the number of codes n_i of each column, and the answer's `values` are int64[n_1-1, ...,
    n_q-1]. The answer's `variance` is s^2: the contrast of a row h has noise of variance s^2 |h|^2, and the
    interaction has noise of variance s^2 in every direction.

    Privacy: the Gaussian mechanism. Contrasts divided by the lengths of their rows are coordinates in an
    orthonormal basis of the tables whose means along all axes are zero. The squared length of one record is p
    = prod(1 - 1/n_i), for any codes, and the squared length of the difference of two records is at most 2 p
    max n_i / (n_i - 1). k rows change the coordinates by at most k times as much as one. So adding or
    removing a unit changes them by at most k sqrt(p) in L2, and replacing a unit by at most k sqrt(2 p max
    n_i / (n_i - 1)). Independent noise with s^2 = (this change)^2 / (2 rho) costs rho. Contrasts are
    integers, so rounded or discrete noise is added to each as to a count (`assets/proofs/interactions.md`).
    """

    clique: Clique
    sizes: tuple[int, ...]
    groups: Groups = field(default_factory=dict, init=False, repr=False, compare=False)
    ask: ClassVar[str] = ASK
    words: ClassVar[tuple[str, str]] = ("interaction measured", "interactions measured")

    @classmethod
    def of(cls, domain: Domain, clique: Clique) -> Self:
        """Return the query for a clique, in the codes of a domain."""
        return cls(clique, domain.shape(clique))

    def within(self, groups: Groups) -> Self:
        """Return the same query if the groups are of other columns.

        An interaction in coarser codes contains no information about finer ones.
        """
        if not groups.keys().isdisjoint(self.clique):
            raise ValueError("an interaction query uses the codes of the domain")
        return self

    def fits(self, domain: Domain) -> bool:
        return (
            is_canonical(self.clique, domain)
            and domain.shape(self.clique) == self.sizes
            and min(self.sizes) > 1
        )

    def own_facts(self, terms: Terms) -> dict[str, Any]:
        return {"clique": list(self.clique), "shape": list(self.sizes)}

    def restored(self, facts: Mapping[str, Any], state: bytes | None) -> Self:
        return replace(self, clique=tuple(facts["clique"]), sizes=shape_of(facts))

    def shape(self, domain: Domain) -> tuple[int, ...]:
        """Return the shape of the answer's values."""
        return tuple(size - 1 for size in self.sizes)

    def needs(self) -> Sequence[tuple[Clique, Groups]]:
        return ((self.clique, {}),)

    def exact(self, tables: ExactTables) -> NDArray[np.int64]:
        return contrasted(tables(self.clique, {}))

    def l2_squared(self, terms: Terms) -> Fraction:
        """Return the squared change of the contrasts divided by the lengths of their rows."""
        steps = 2 if terms.replaces else 1
        return terms.rows**2 * steps * part_of_price(self.sizes, replaces=terms.replaces)

    def cell_sigma(self, rho: float, terms: Terms) -> float:
        """Return the standard deviation of the noise in a cell of the interaction, in counts: s sqrt(p)."""
        return math.sqrt(self.l2_squared(terms) * part_of_price(self.sizes) / (2 * rho))

    def squared_lengths(self) -> NDArray[np.int64]:
        return squared_lengths(self.sizes)
