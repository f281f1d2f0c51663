"""Measure the score of a logistic regression at a public starting point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.measurements.logistic import ASK, Score
from synth.private.exact_tables import ExactTables, Groups
from synth.private.queries.base import ScaledQuery, is_canonical
from synth.private.terms import Terms


@dataclass(frozen=True)
class LogisticScore(ScaledQuery):
    """The score and the information of a logistic regression (`synth.core.measurements.logistic`).

    Shapes: the answer's `values` are int64[entries]. Its `variance` is s^2: an entry with scale c has noise
    of variance s^2 c^2.

    Privacy: the Gaussian mechanism. The starting point is public, because it is computed from synthetic rows.
    Divide every entry by its scale. A record then adds a vector g to the score and h to the information,
    whose squared lengths depend only on its probability p. It adds nothing if a value is missing. Adding or
    removing a unit of k rows changes the numbers by at most k times the largest sqrt(|g|^2 + |h|^2) over all
    p. Replacing a unit changes the score by at most k times 2 |g|, because residuals have signs. In the full
    information, which includes the squares of indicators, the inner product of the vectors of two records is
    at least 0. So the square of the whole change is at most k^2 times the largest 4 |g|^2 + 2 |h|^2, with h
    from the full information. Independent noise with s^2 = (this change)^2 / (2 rho) costs rho. Sums are
    integers (`assets/proofs/logistic.md`).
    """

    score: Score
    clique: Clique
    groups: Groups = field(default_factory=dict, init=False, repr=False, compare=False)
    ask: ClassVar[str] = ASK
    words: ClassVar[tuple[str, str]] = (
        "score of a logistic regression",
        "scores of logistic regressions",
    )

    def within(self, groups: Groups) -> Self:
        """Raise ValueError, because the query uses a lattice and not the codes of the model."""
        raise ValueError("a query about a lattice cannot be coarsened")

    def fits(self, domain: Domain) -> bool:
        if not self.score.fits(domain) or not is_canonical(self.clique, domain):
            return False
        return set(self.clique) == set(self.score.block.columns)

    def own_facts(self, terms: Terms) -> dict[str, Any]:
        return {"clique": list(self.clique), **self.score.as_facts()}

    def restored(self, facts: Mapping[str, Any], state: bytes | None) -> Self:
        return replace(self, score=Score.of(facts), clique=tuple(facts["clique"]))

    def shape(self, domain: Domain) -> tuple[int, ...]:
        """Return the shape of the answer's values."""
        return (len(self.score.entries),)

    def exact(self, tables: ExactTables) -> NDArray[np.int64]:
        columns, _ = tables.columns(self.clique, {})
        return self.score.sums(dict(zip(self.clique, columns, strict=True)))

    def squared_lengths(self) -> NDArray[Any]:
        """Return the squared lengths as Python integers, because they may exceed 64 bits."""
        return np.array([scale**2 for scale in self.score.scales], dtype=object)

    def l2_squared(self, terms: Terms) -> Fraction:
        """Return the squared change of the entries divided by their scales."""
        if terms.replaces:
            return terms.rows**2 * self.score.change(of_score=4, of_information=2, full=True)
        return terms.rows**2 * self.score.change()
