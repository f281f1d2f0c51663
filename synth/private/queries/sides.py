"""Measure the sides of half-spaces: the number of rows above each plane minus the number of other rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.measurements.half_spaces import HalfSpaces
from synth.private.exact_tables import ExactTables, Groups
from synth.private.queries.base import CliqueQuery, NumbersQuery, groups_in, label_codes
from synth.private.terms import Terms


@dataclass(frozen=True)
class Sides(CliqueQuery, NumbersQuery):
    """The number of rows above each half-space minus the number of other rows.

    With a label, there is one number for each code of the label (`synth.core.measurements.half_spaces`).

    The half-spaces are in coarse codes if there are `groups`. Shapes: the answer's `values` are int64[codes
    of the label or 1, half-spaces].

    Privacy: the Gaussian mechanism. A row adds 1 or -1 to one number of each of the K half-spaces, for any
    codes (or nothing, if a code is outside the domain). So adding or removing a unit of k rows changes them
    by at most k sqrt(K) in L2. Replacing a unit changes them by at most twice as much, because its rows may
    leave one side of every plane and appear on the other side. In short, the change is at most l1 sqrt(K),
    and every number gets independent integer noise with sigma^2 = l1^2 K / (2 rho). The number of rows above
    = (this difference + the number of rows) / 2, so it has half of this noise. Under add/remove, this costs a
    quarter of measuring the number directly, which has the same sensitivity (`assets/proofs/half-spaces.md`).
    Planes are public.
    """

    spaces: HalfSpaces
    groups: Groups = field(default_factory=dict)
    ask: ClassVar[str] = "sides"
    words: ClassVar[tuple[str, str]] = ("measurement of half-spaces", "measurements of half-spaces")

    @property
    def clique(self) -> Clique:  # type: ignore[override]
        return self.spaces.clique

    def fits(self, domain: Domain) -> bool:
        coarse = self.coarse(domain)
        return coarse is not None and self.spaces.fits(coarse)

    def own_facts(self, terms: Terms) -> dict[str, Any]:
        return self.spaces.as_facts()

    def restored(self, facts: Mapping[str, Any], state: bytes | None) -> Self:
        return replace(self, spaces=HalfSpaces.of(facts), groups=groups_in(facts))

    def shape(self, domain: Domain) -> tuple[int, ...]:
        """Return the shape of the answer's values. `domain`: the codes before grouping."""
        return (label_codes(self.spaces.label, domain, self.groups), len(self.spaces))

    def exact(self, tables: ExactTables) -> NDArray[np.int64]:
        return tables.sides(self.spaces, self.groups)

    def l2_squared(self, terms: Terms) -> int:
        return len(self.spaces) * terms.l1**2
