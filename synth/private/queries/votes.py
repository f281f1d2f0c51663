"""Measure noisy votes: how many rows are nearest to each public candidate."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.measurements.nearest import LONGEST, Places, points_of
from synth.private.counting.rows import votes_of
from synth.private.exact_tables import ExactTables, Groups
from synth.private.queries.base import CliqueQuery, NumbersQuery
from synth.private.terms import Terms

MOST_CANDIDATES = 10_000


@dataclass(frozen=True)
class Votes(CliqueQuery, NumbersQuery):
    """The votes of all rows. Each row votes for the nearest candidate, or the first in a tie.

    For the distance, see `measurements.nearest`. With a `label`, which is one of the columns, a row votes
    only for candidates with the same label.

    `candidates` are distinct records of codes of the clique, in ascending order. `places` contains the place
    of each code for every ordered column, and is empty for other columns. Both are in coarse codes if there
    are `groups`. Shapes: the answer's `values` are int64[candidates].

    Privacy: the Gaussian mechanism. Candidates and places are public, so they divide the set of all possible
    rows into cells that do not depend on the table. The votes are therefore a table of counts with one code
    per row. The cell of a row depends only on the codes of this row: distances are exact integers, and the
    order of the list decides ties. A row with a code outside the domain, or with a label that no candidate
    has, does not vote. So a unit of k rows changes at most k votes. As in any table of counts, adding or
    removing it changes the votes by at most k in L2 (if all its rows vote for the same candidate), and
    replacing it by at most sqrt(2) k. Every number gets independent integer noise with sigma^2 =
    `Terms.l2_squared` / (2 rho).
    """

    clique: Clique
    candidates: tuple[tuple[int, ...], ...]
    places: tuple[Places, ...]
    label: str = ""
    groups: Groups = field(default_factory=dict)
    ask: ClassVar[str] = "votes"
    fact_fields: ClassVar[tuple[str, ...]] = ("clique", "label", "candidates", "places")
    words: ClassVar[tuple[str, str]] = ("vote", "votes")

    def fits(self, domain: Domain) -> bool:
        coarse = self.coarse(domain)
        if coarse is None or len(self.places) != len(self.clique):
            return False
        if self.label and self.label not in self.clique:
            return False
        shape = coarse.shape(self.clique)
        are_placed = all(
            not places or (len(places) == size and all(type(p) is int and 0 <= p <= LONGEST for p in places))
            for places, size in zip(self.places, shape, strict=True)
        )
        are_records = all(
            len(record) == len(shape)
            and all(type(c) is int and 0 <= c < n for c, n in zip(record, shape, strict=True))
            for record in self.candidates
        )
        is_counted = 0 < len(self.candidates) <= MOST_CANDIDATES
        are_different = all(a < b for a, b in pairwise(self.candidates))
        return is_counted and are_placed and are_records and are_different

    def shape(self, domain: Domain) -> tuple[int, ...]:
        """Return the shape of the answer's values. `domain`: the codes before grouping."""
        return (len(self.candidates),)

    def exact(self, tables: ExactTables) -> NDArray[np.int64]:
        columns, shape = tables.columns(self.clique, self.groups)
        return votes_of(
            columns,
            shape,
            candidates=np.array(self.candidates, dtype=np.int64),
            points=[points_of(places, size) for places, size in zip(self.places, shape, strict=True)],
            by=self.clique.index(self.label) if self.label else None,
        )

    def l2_squared(self, terms: Terms) -> int:
        return terms.l2_squared
