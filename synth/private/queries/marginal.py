"""Measure the noisy counts of a marginal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import Measurement
from synth.private.exact_tables import ExactTables, Groups
from synth.private.queries.base import CliqueQuery, integers
from synth.private.terms import Paid, Terms


@dataclass(frozen=True)
class Marginal(CliqueQuery):
    """The table of counts of a clique. `groups` of columns outside the clique have no effect.

    Privacy: the Gaussian mechanism. One unit changes the table by at most sqrt(`Terms.l2_squared`) in L2, and
    every cell gets independent integer noise with sigma^2 = l2_squared / (2 rho), which costs rho. The run's
    accounting rule determines the distribution of the noise (see `noise.noise_of`).
    """

    clique: Clique
    groups: Groups = field(default_factory=dict)
    ask: ClassVar[str] = "measure"
    words: ClassVar[tuple[str, str]] = ("table measured", "tables measured")

    def fits(self, domain: Domain) -> bool:
        return self.coarse(domain) is not None

    def needs(self) -> Sequence[tuple[Clique, Groups]]:
        return ((self.clique, self.groups),)

    def exact(self, tables: ExactTables) -> NDArray[np.int64]:
        return tables(self.clique, self.groups)

    def l2_squared(self, terms: Terms) -> int:
        return terms.l2_squared

    def read(self, blob: bytes, paid: Paid, *, domain: Domain) -> Measurement:
        coarse = self.coarse(domain)
        assert coarse is not None
        return Measurement(
            clique=self.clique,
            counts=integers(blob).reshape(coarse.sizes),
            variance=self.variance(paid.units, paid.terms),
            groups=self.groups,
            **paid.place,
        )
