"""The noisy sides of half-spaces: of each, how many rows lie above its plane less how many do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.measurements.half_spaces import HalfSpaces
from synth.private.queries.base import CliqueQuery, Groups, NumbersQuery, Tables, groups_in, label_codes
from synth.private.terms import Terms


@dataclass(frozen=True)
class Sides(CliqueQuery, NumbersQuery):
    """Of every half-space, the number of rows above it less the number of those that are not; with a label,
    for every code of it (`synth.core.measurements.half_spaces`).

    Shapes: the half-spaces are in coarse codes if there are `groups`; the answer's `values` are
    int64[label's codes or 1, half-spaces].

    Privacy: the Gaussian mechanism. A row adds 1 or -1 to one number of each of the K half-spaces, whatever
    its codes (or nothing, if one lies beyond the domain), so a unit of k rows that is added or removed moves
    them by at most k sqrt(K) in L2. One that is replaced moves them by at most twice as much: its rows may
    leave one side of every plane and come to the other. In short l1 sqrt(K), and every number gets integer
    noise of its own with sigma^2 = l1^2 K / (2 rho). The number above is half of this difference and of the
    number of rows, so that it has half of this noise: under add and remove a quarter of the price of asking
    for it alone, which moves by as much (`assets/proofs/half-spaces.md`). Planes are public.
    """

    spaces: HalfSpaces
    groups: Groups = field(default_factory=dict)
    ask: ClassVar[str] = "sides"
    words: ClassVar[tuple[str, str]] = ("look at half-spaces", "looks at half-spaces")

    @property
    def clique(self) -> Clique:  # type: ignore[override]
        return self.spaces.clique

    def fits(self, domain: Domain) -> bool:
        coarse = self.coarse(domain)
        return coarse is not None and self.spaces.fits(coarse)

    def own_facts(self, terms: Terms) -> dict[str, Any]:
        return self.spaces.told()

    def restored(self, facts: Mapping[str, Any], state: bytes | None) -> Self:
        return replace(self, spaces=HalfSpaces.of(facts), groups=groups_in(facts))

    def shape(self, domain: Domain) -> tuple[int, ...]:
        """That of the answer's values. `domain`: that of the codes before groups."""
        return (label_codes(self.spaces.label, domain, self.groups), len(self.spaces))

    def exact(self, tables: Tables) -> NDArray[np.int64]:
        return tables.sides(self.spaces, self.groups)

    def l2_squared(self, terms: Terms) -> int:
        return len(self.spaces) * terms.l1**2
