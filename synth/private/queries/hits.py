"""Measure how many rows a public classifier predicts correctly, and how many a constant guess predicts
correctly.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.measurements.classifier import Classifier
from synth.private.exact_tables import ExactTables, Groups
from synth.private.queries.base import CliqueQuery, NumbersQuery
from synth.private.scores import packed, unpacked
from synth.private.terms import Terms


@dataclass(frozen=True, eq=False)
class Hits(CliqueQuery, NumbersQuery):
    """The number of rows whose label a classifier predicts correctly, and the number of rows with label
    `guess`.

    The answer's `values` are int64[2]: correctly predicted rows, and rows with the guessed label.

    Privacy: the Gaussian mechanism. The classifier is public and predicts each row from the codes of this
    row, with integers, and the order of the labels decides ties. So one added row changes each of the two
    counts by at most one. Replacing a unit removes at most its k rows from a count and adds at most k to it.
    So each count changes by at most k under both relations, and the two together by at most sqrt(2) k in L2.
    """

    classifier: Classifier
    guess: int
    groups: Groups = field(default_factory=dict)
    ask: ClassVar[str] = "hits"
    words: ClassVar[tuple[str, str]] = ("count of correct predictions", "counts of correct predictions")

    @property
    def clique(self) -> Clique:  # type: ignore[override]
        return self.classifier.clique

    def within(self, groups: Groups) -> Self:
        """Raise ValueError, because a classifier uses the codes of the domain."""
        raise ValueError("a query about predictions cannot be coarsened")

    def fits(self, domain: Domain) -> bool:
        if self.groups or self.coarse(domain) is None or not self.classifier.fits(domain):
            return False
        return type(self.guess) is int and 0 <= self.guess < domain.size((self.classifier.label,))

    def own_facts(self, terms: Terms) -> dict[str, Any]:
        numbers = b"".join(table.astype("<i8").tobytes() for table in self._numbers)
        return {
            "clique": list(self.clique),
            "label": self.classifier.label,
            "guess": self.guess,
            "sha256": hashlib.sha256(numbers).hexdigest(),
        }

    def state(self) -> bytes:
        return packed({}, self._numbers)

    def restored(self, facts: Mapping[str, Any], state: bytes | None) -> Self:
        if state is None:
            raise ValueError("a classifier without its weights")
        _, (offsets, *weights) = unpacked(state)
        label, clique = facts["label"], tuple(facts["clique"])
        classifier = Classifier(label=label, clique=clique, offsets=offsets, weights=tuple(weights))
        return replace(self, classifier=classifier, guess=facts["guess"])

    def shape(self, domain: Domain) -> tuple[int, ...]:
        return (2,)

    def exact(self, tables: ExactTables) -> NDArray[np.int64]:
        columns, _ = tables.columns(self.clique, {})
        return self.classifier.hits(columns, self.guess)

    def l2_squared(self, terms: Terms) -> int:
        return 2 * terms.rows**2

    @property
    def _numbers(self) -> tuple[NDArray[np.int64], ...]:
        return (self.classifier.offsets, *self.classifier.weights)
