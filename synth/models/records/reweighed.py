"""Records that were candidates of votes, with weights fitted to all noisy measurements at once.

Pseudo-code
  1. Collect parents. If there are few possible records, use all of them. Otherwise, use the records of
     `start`, or the candidates of all votes and the same number of records drawn from noisy columns.
  2. Fit weights to all tables and votes (`tallies`).
  3. Draw parents by weight and vary them, with less variation after more votes (`variation`). Keep some of
     them unchanged.
  4. Fit weights of these records, and rake them to the likely column counts.

The method is our own. Votes are tables whose cells are in dense regions of the data. A single vote is too
noisy, so all of them are used together with the one-way tables. With `last_vote`, the records of the last
vote are returned in proportion to their noisy votes, like the last selection of Tab-PE. Structural zeros:
records are moved out of forbidden cells, and only allowed records get weight.
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
"""Maximum number of possible records for which every one of them gets a weight."""

KEPT = 4
"""Number of varied records for each parent that is kept unchanged."""

ROUNDS, LEAST_RATE = 12, 0.02
"""Number of votes after which the variation is smallest, and the rate of this variation."""

RAKED = 100
"""Number of rounds of raking to the columns at the end."""

SECONDS = 4e-9
"""Number of seconds per record, cell and vote, on one core."""


@dataclass(frozen=True, kw_only=True)
class ReweighedRecords(Generator):
    """Options of reweighted records: the number of candidate records and the number of steps of the weight
    fit.
    """

    name: ClassVar[str] = "reweighed"
    title: ClassVar[str] = "Reweighted records"
    summary: ClassVar[str] = "Records that received votes, weighted by all votes and tables at once."
    votes: ClassVar[bool] = True

    records: int = option(
        12_000,
        label="Records",
        help="Number of records that are generated and weighted.",
        low=100,
        high=100_000,
    )
    steps: int = option(30, label="Steps", help="Number of passes over all measurements.", low=5, high=1_000)
    last_vote: bool = option(
        False,
        label="Last vote only",
        help="Use the records of the last vote in proportion to their votes, as in the paper.",
        literal=True,
    )

    def rough(self) -> Self:
        """Return the options with a third of the steps."""
        return replace(self, steps=max(5, self.steps // 3))

    def seconds(self, domain: Domain) -> tuple[float, float]:
        """Return the estimated time as a range, from no votes to many votes."""
        width = len(domain) + sum(domain.sizes)
        return 0.05, 5 + self.records * width * 1000 * ROUNDS * SECONDS

    def fitted(self, evidence: Evidence, how: Setting) -> WeightedRecords:
        """Fit the records. If `start` is a model of weighted records, the fit starts from its records.

        Raises: ValueError if the zeros leave no possible record.
        """
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
        pulse = Pulse("weighting records", self.steps, how.report)
        found = weighed(tallies, codes, base, steps=self.steps, on_step=pulse.on_step)  # line 4
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
            if tuple(answer.requested["clique"]) == evidence.domain.names and "groups" not in answer.requested
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
    """Return all records that no zero forbids, with their frequencies under independent columns.

    Raises: ValueError if there is no such record.
    """
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
    """Return the distinct records, with weights proportional to their frequencies."""
    different, often = np.unique(codes, axis=0, return_counts=True)
    return different, often.astype(np.float64) * (total / len(codes))


def _of_last_vote(evidence: Evidence) -> tuple[Codes, Floats]:
    """Return the candidates of the last vote, and their votes minus one sigma of the noise, but at least
    0.
    """
    last = votes_of(evidence)[-1]
    return candidates_of(last), np.maximum(last.numbers.ravel() - last.sigma, 0.0)


def raked(weights: Floats, codes: Codes, columns: Sequence[Floats]) -> Floats:
    """Return the weights after raking them to the given counts of every column, as far as the records
    allow.
    """
    raked = weights.copy()
    for _ in range(RAKED):
        for i, counts in enumerate(columns):
            held = np.bincount(codes[:, i], weights=raked, minlength=len(counts))
            raked *= np.where(held > 0, counts / np.maximum(held, 1e-300), 1.0)[codes[:, i]]
    return raked
