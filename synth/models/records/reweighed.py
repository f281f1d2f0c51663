"""Records that were voted for, weighed by all noisy measurements at once.

  1. parents: every record there is, if they are few; else those of `start`, or the candidates of all votes
     and as many records with noisy columns
  2. weigh them by all tables and votes (`tallies`)
  3. draw parents by weight and vary them, less the more votes there were (`variation`); keep some as they are
  4. weigh these; columns then come as they are likely (raking)

Our own. Votes are tables of cells that lie where the table is dense, so that many of them, each too noisy by
itself, are read together, beside the tables of columns. `last_vote` gives the records of the last vote in
proportion to their noisy votes instead, as Tab-PE takes its last selection.
Zeros: records are moved out of forbidden cells, and none but these get weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.model import Model
from synth.core.options import option
from synth.core.zeros import allowed_cells
from synth.models.base import Generator, Setting
from synth.models.estimates.columns import one_ways
from synth.models.estimates.rounding import draw_columns
from synth.models.pulse import Pulse
from synth.models.records.record_table import WeightedRecords
from synth.models.records.tallies import Floats, candidates_of, tallies_of, votes_of, weighed
from synth.models.records.variation import rate_at, varied
from synth.models.repair import repaired

Codes = NDArray[np.int64]

WHOLE = 10_000
"""If no more records are possible, all are weighed."""

KEPT = 4
"""One parent in so many is kept unchanged beside the varied ones."""

ROUNDS, LEAST_RATE = 12, 0.02
"""Votes after which records vary least, and how much they do then."""

RAKED = 100
"""Rounds of raking to the columns at the end."""

SECONDS = 4e-9
"""Per record, cell and vote on one core."""


@dataclass(frozen=True, kw_only=True)
class ReweighedRecords(Generator):
    """How many records are thought of, and how long they are weighed."""

    name: ClassVar[str] = "reweighed"
    title: ClassVar[str] = "Reweighed records"
    summary: ClassVar[str] = "Records that were voted for, weighed by all votes and tables at once."
    votes: ClassVar[bool] = True

    records: int = option(
        12_000, label="Records", help="Records that are thought of and weighed.", low=100, high=100_000
    )
    steps: int = option(30, label="Steps", help="How often all answers are gone through.", low=5, high=1_000)
    last_vote: bool = option(
        False,
        label="Last vote only",
        help="The records of the last vote in proportion to their votes, as the paper has them.",
        literal=True,
    )

    def rough(self) -> Self:
        """A third of the steps."""
        return replace(self, steps=max(5, self.steps // 3))

    def seconds(self, domain: Domain) -> tuple[float, float]:
        """Without votes and with many."""
        width = len(domain) + sum(domain.sizes)
        return 0.05, 5 + self.records * width * 1000 * ROUNDS * SECONDS

    def fitted(self, evidence: Evidence, how: Setting) -> WeightedRecords:
        """Begins with the records of `start` if they are weighted ones. ValueError if the zeros leave no
        record."""
        rng = np.random.default_rng([how.seed, len(votes_of(evidence))])
        columns = [likely.counts for likely in one_ways(evidence).values()]
        if self.last_vote and votes_of(evidence):
            codes, weights = _of_last_vote(evidence)
            codes, _ = repaired(codes, evidence.domain, evidence.zeros, columns, rng)
            return _model(evidence, codes, weights)
        tallies, domain = tallies_of(evidence), evidence.domain
        if domain.size() <= WHOLE:  # line 1
            codes, base = _every_record(evidence, columns)
        else:
            parents, weights = self._parents(evidence, how.start, columns, rng)
            weights = weighed(tallies, parents, weights, steps=self.steps)  # line 2
            codes, base = self._varied(evidence, parents, weights, rng)  # line 3
        of = (codes, *(tally.counts for tally in tallies))
        pulse = Pulse(self.name, "weighing records", self.steps, how.report, how.checkpoint, of=of)
        found = weighed(
            tallies, codes, base, steps=self.steps, begun=pulse.saved(), told=pulse.told
        )  # line 4
        return _model(evidence, codes, raked(found, codes, columns))

    def _parents(
        self, evidence: Evidence, start: Model | None, columns: Sequence[Floats], rng: np.random.Generator
    ) -> tuple[Codes, Floats]:
        if isinstance(start, WeightedRecords) and start.domain == evidence.domain:
            return start.codes, np.maximum(start.weights, 1e-9 * evidence.total / len(start.codes))
        fresh = np.stack([draw_columns(c, [], self.records, rng=rng)[0] for c in columns], axis=1)
        whole = [
            answer
            for answer in votes_of(evidence)
            if tuple(answer.asked["clique"]) == evidence.domain.names and "groups" not in answer.asked
        ]
        codes = np.concatenate([fresh, *map(candidates_of, whole)])
        codes, _ = repaired(codes, evidence.domain, evidence.zeros, columns, rng)
        return distinct_records(codes, evidence.total)

    def _varied(
        self, evidence: Evidence, parents: Codes, weights: Floats, rng: np.random.Generator
    ) -> tuple[Codes, Floats]:
        rate = max(LEAST_RATE, rate_at(len(votes_of(evidence)), ROUNDS))
        drawn = parents[rng.choice(len(parents), self.records, p=weights / weights.sum())]
        children = varied(
            drawn, evidence.domain, rate=rate, ordered=evidence.ordered, zeros=evidence.zeros, rng=rng
        )
        return distinct_records(np.concatenate([children, drawn[::KEPT]]), evidence.total)


def _model(evidence: Evidence, codes: Codes, weights: Floats) -> WeightedRecords:
    whole = float(weights.sum())
    even = np.full(len(codes), evidence.total / len(codes))
    scaled = weights * (evidence.total / whole) if whole > 0 else even
    return WeightedRecords(evidence.domain, evidence.total, codes, scaled)


def _every_record(evidence: Evidence, columns: Sequence[Floats]) -> tuple[Codes, Floats]:
    """All records that no zero forbids, as frequent as in independent columns. ValueError without any."""
    domain = evidence.domain
    allowed = allowed_cells(domain, domain.names, evidence.zeros)
    codes = np.argwhere(allowed)
    if not len(codes):
        raise ValueError("the structural zeros leave no possible record")
    base = np.full(len(codes), float(evidence.total))
    for i, counts in enumerate(columns):
        base *= np.maximum(counts, 1e-6 * evidence.total)[codes[:, i]] / evidence.total
    return codes, base


def distinct_records(codes: Codes, total: float) -> tuple[Codes, Floats]:
    """Different records, with weights by how often each is there."""
    different, often = np.unique(codes, axis=0, return_counts=True)
    return different, often.astype(np.float64) * (total / len(codes))


def _of_last_vote(evidence: Evidence) -> tuple[Codes, Floats]:
    """Candidates of the last vote and what is left of their votes above one sigma of noise."""
    last = votes_of(evidence)[-1]
    return candidates_of(last), np.maximum(last.numbers.ravel() - last.sigma, 0.0)


def raked(weights: Floats, codes: Codes, columns: Sequence[Floats]) -> Floats:
    """Weights with these counts in every column, as far as there are records."""
    raked = weights.copy()
    for _ in range(RAKED):
        for i, counts in enumerate(columns):
            held = np.bincount(codes[:, i], weights=raked, minlength=len(counts))
            raked *= np.where(held > 0, counts / np.maximum(held, 1e-300), 1.0)[codes[:, i]]
    return raked
