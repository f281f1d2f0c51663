"""Noisy counts of one marginal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import Measurement
from synth.private.queries.base import (
    GaussianQuery,
    Groups,
    Tables,
    grouped,
    groups_in,
    groups_told,
    integers,
    is_canonical,
)
from synth.private.terms import Paid, Terms


@dataclass(frozen=True)
class Marginal(GaussianQuery):
    """The table of counts of a clique; `groups` of other columns are none of it.

    Privacy: the Gaussian mechanism. One unit moves the table by at most sqrt(`Terms.l2_squared`) in L2, and
    every cell gets integer noise of its own with sigma^2 = l2_squared / (2 rho), which costs rho; its
    distribution is that of the run's law, see `noise.noise_of`.
    """

    clique: Clique
    groups: Groups = field(default_factory=dict)
    ask: ClassVar[str] = "measure"
    words: ClassVar[tuple[str, str]] = ("table measured", "tables measured")

    def within(self, groups: Groups) -> Self:
        if self.groups:
            raise ValueError("a question about coarser codes is not coarsened again")
        return replace(self, groups={name: groups[name] for name in self.clique if name in groups})

    def fits(self, domain: Domain) -> bool:
        is_known = is_canonical(self.clique, domain) and set(self.groups) <= set(self.clique)
        return is_known and grouped(domain, self.groups) is not None

    def facts(self, terms: Terms) -> dict[str, Any]:
        return {
            "ask": self.ask,
            "clique": list(self.clique),
            **terms.law.told(),
            **groups_told(self.groups),
        }

    def state(self) -> bytes:
        return b""

    def restored(self, facts: Mapping[str, Any], state: bytes | None) -> Self:
        return replace(self, clique=tuple(facts["clique"]), groups=groups_in(facts))

    def needs(self) -> Sequence[tuple[Clique, Groups]]:
        return ((self.clique, self.groups),)

    def exact(self, tables: Tables) -> NDArray[np.int64]:
        return tables(self.clique, self.groups)

    def l2_squared(self, terms: Terms) -> int:
        return terms.l2_squared

    def read(self, blob: bytes, paid: Paid, *, domain: Domain) -> Measurement:
        coarse = grouped(domain, self.groups)
        assert coarse is not None
        return Measurement(
            clique=self.clique,
            counts=integers(blob).reshape(coarse.shape(self.clique)),
            variance=self.variance(paid.units, paid.terms),
            units=paid.units,
            part=paid.part,
            step=paid.step,
            groups=self.groups,
            law=paid.terms.law,
        )
