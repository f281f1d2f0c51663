"""Measure noisy scores of all candidates at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import NoisyScores
from synth.private.exact_tables import ExactTables, Groups
from synth.private.queries.base import GaussianQuery, grouped, groups_in, integers, is_canonical
from synth.private.scores import SCALE, SCORES, L1Gap, ProductGap, Score, SideGap
from synth.private.terms import Paid, Terms


@dataclass(frozen=True, eq=False)
class Candidates:
    """Base class of queries about candidates, each of which has a score, in coarser codes if there are
    groups.
    """

    score: Score
    groups: Groups = field(default_factory=dict)

    def within(self, groups: Groups) -> Self:
        if self.groups:
            raise ValueError("a query about coarser codes cannot be coarsened again")
        return replace(self, groups=dict(groups))

    def fits(self, domain: Domain) -> bool:
        coarse, is_listed = grouped(domain, self.groups), type(self.score) in SCORES.values()
        if coarse is None or not is_listed or not self.score.cliques:
            return False
        return all(is_canonical(r, domain) for r in self.score.cliques) and self.score.fits(coarse)

    def moved(self, terms: Terms) -> int:
        """Return how much one unit changes a table, in the measure that the score uses."""
        return int(getattr(terms, self.score.moves_by))

    def own_facts(self, terms: Terms) -> dict[str, Any]:
        """Return the facts about the sensitivity and the scores."""
        return {"sensitivity": self.score.sensitivity(self.moved(terms)), **self.score.facts()}

    def state(self) -> bytes:
        return self.score.state()

    def restored(self, facts: Mapping[str, Any], state: bytes | None) -> Self:
        if state is None or facts["score"] != self.score.name:
            raise ValueError("a score of an unknown kind")
        return replace(self, score=self.score.restored(state), groups=groups_in(facts))

    def needs(self) -> Sequence[tuple[Clique, Groups]]:
        if isinstance(self.score, SideGap | ProductGap):
            return ()
        return [(clique, self.groups) for clique in self.score.cliques]

    def exact(self, tables: ExactTables) -> NDArray[np.int64]:
        """Return the scores in units of 1/SCALE. Shapes: int64[candidates]."""
        if isinstance(self.score, SideGap):
            spaces = self.score.spaces
            own = {name: self.groups[name] for name in spaces.clique if name in self.groups}
            return self.score.values(tables.sides(spaces, own))
        if isinstance(self.score, ProductGap):
            return self.score.by_gaps(tables.gaps(self.score, self.groups))
        if isinstance(self.score, L1Gap):
            return self.score.values([tables(r, self.groups) for r in self.score.cliques])
        values = [self.score.value(i, tables(r, self.groups)) for i, r in enumerate(self.score.cliques)]
        return np.array(values, dtype=np.int64)


class Scores(Candidates, GaussianQuery):
    """All scores with noise.

    Privacy: the Gaussian mechanism on the vector of m scores, in exact fixed point. One unit changes each
    score by at most `score.sensitivity`, and therefore the vector by at most sqrt(m) * sensitivity in L2.
    """

    ask: ClassVar[str] = "score"
    words: ClassVar[tuple[str, str]] = ("batch of scores", "batches of scores")

    def l2_squared(self, terms: Terms) -> int:
        """Return the largest squared change, in units of 1/SCALE squared."""
        return len(self.score.cliques) * self.score.sensitivity(self.moved(terms)) ** 2

    def read(self, blob: bytes, paid: Paid, *, domain: Domain) -> NoisyScores:
        return NoisyScores(
            score=self.score,
            values=integers(blob) / SCALE,
            variance=self.variance(paid.units, paid.terms) / SCALE**2,
            groups=dict(self.groups),
            **paid.place,
        )
