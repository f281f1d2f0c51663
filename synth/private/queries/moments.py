"""Measure the sums of products of columns on a lattice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.measurements.moments import ASK, Block
from synth.private.exact_tables import ExactTables, Groups
from synth.private.queries.base import ScaledQuery, is_canonical
from synth.private.terms import Terms


@dataclass(frozen=True)
class Moments(ScaledQuery):
    """The sums of products of a block (`synth.core.measurements.moments`), in each cell of its groups.

    Shapes: the answer's `values` are int64[sizes of the groups, entries]. Its `variance` is s^2: an entry
    whose products are at most b has noise of variance s^2 b^2.

    Privacy: the Gaussian mechanism. Divide every entry by its largest product. A record then adds numbers
    between -1 and 1 to the K entries of one group, or nothing if a value is missing. So adding or removing a
    unit of k rows changes them by at most k sqrt(K) in L2. In the full block of K_full entries, with the
    squares of indicators, the inner product of the vectors of two records is (z.z')^2 / 2 + sum z_i^2 z'_i^2
    / 2, which is not negative. So replacing a unit changes them by at most k sqrt(2 K_full), and the measured
    entries are a part of the full block. Independent noise with s^2 = (this change)^2 / (2 rho) costs rho.
    Sums are integers, so rounded or discrete noise is added to each of them as to a count
    (`assets/proofs/moments.md`).
    """

    block: Block
    clique: Clique
    groups: Groups = field(default_factory=dict, init=False, repr=False, compare=False)
    ask: ClassVar[str] = ASK
    words: ClassVar[tuple[str, str]] = (
        "set of sums for means and regressions",
        "sets of sums for means and regressions",
    )

    def within(self, groups: Groups) -> Self:
        """Raise ValueError, because the query uses a lattice and not the codes of the model."""
        raise ValueError("a query about a lattice cannot be coarsened")

    def fits(self, domain: Domain) -> bool:
        if not self.block.fits(domain) or not is_canonical(self.clique, domain):
            return False
        return set(self.clique) == set(self.block.columns)

    def own_facts(self, terms: Terms) -> dict[str, Any]:
        return {"clique": list(self.clique), **self.block.as_facts()}

    def restored(self, facts: Mapping[str, Any], state: bytes | None) -> Self:
        return replace(self, block=Block.of(facts), clique=tuple(facts["clique"]))

    def shape(self, domain: Domain) -> tuple[int, ...]:
        """Return the shape of the answer's values."""
        return (*domain.shape(self.block.by), len(self.block.entries))

    def exact(self, tables: ExactTables) -> NDArray[np.int64]:
        columns, sizes = tables.columns(self.clique, {})
        return self.block.sums(dict(zip(self.clique, columns, strict=True)), Domain(self.clique, sizes))

    def squared_lengths(self) -> NDArray[np.int64]:
        return self.block.products**2

    def l2_squared(self, terms: Terms) -> int:
        """Return the squared change of the entries divided by their largest products."""
        entries = 2 * self.block.full if terms.replaces else len(self.block.entries)
        return terms.rows**2 * entries
