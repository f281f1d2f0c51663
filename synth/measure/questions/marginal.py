"""Noisy counts of one marginal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth.answers import Measurement
from synth.domain import Clique, Domain
from synth.entropy import OS_ENTROPY, Entropy
from synth.measure.noise import noise_of
from synth.measure.questions.base import (
    Groups,
    Tables,
    grouped,
    groups_in,
    groups_told,
    integers,
    is_canonical,
    stored,
)
from synth.measure.terms import Paid, Terms


@dataclass(frozen=True)
class Marginal:
    """The table of counts of a clique; `groups` of other columns are none of it.

    Privacy: the Gaussian mechanism. One unit moves the table by at most sqrt(`Terms.l2_squared`) in L2, and
    every cell gets integer noise of its own with sigma^2 = l2_squared / (2 rho), which costs rho; its
    distribution is that of the run's law, see `noise.noise_of`.
    """

    clique: Clique
    groups: Groups = field(default_factory=dict)
    ask: ClassVar[str] = "measure"

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

    def exact(self, tables: Tables) -> NDArray[np.int64]:
        return tables(self.clique, self.groups)

    def answer(self, tables: Tables, *, units: int, terms: Terms, entropy: Entropy = OS_ENTROPY) -> bytes:
        counts = self.exact(tables).ravel()
        noise = noise_of(terms.law, terms.variance(units), counts.size, entropy=entropy)
        return stored(counts + noise)

    def plain(self, exact: NDArray[np.int64]) -> bytes:
        return stored(exact)

    def read(self, blob: bytes, paid: Paid, *, domain: Domain) -> Measurement:
        coarse = grouped(domain, self.groups)
        assert coarse is not None
        return Measurement(
            clique=self.clique,
            counts=integers(blob).reshape(coarse.shape(self.clique)),
            variance=paid.terms.variance(paid.units),
            units=paid.units,
            part=paid.part,
            step=paid.step,
            groups=self.groups,
            law=paid.terms.law,
        )
