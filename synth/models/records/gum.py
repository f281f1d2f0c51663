"""The gradual update method: records changed marginal by marginal until all of them are near.

Source: Zhang et al., PrivSyn: Differentially Private Data Synthesis, USENIX Security 2021 (GUM).

  1. the tables agree where they overlap (`consistency`)
  2. columns in a single table are taken off (`appending`)
  3. every column by itself, shuffled
  4. for t = 0, 1, ...: alpha = 0.84^(t // 20); for every table, the furthest off first:
  5.   move records from its fullest cells to its emptiest (`gradual_update`), on even t half of them as
       copies of others
  6. draw the columns that were taken off

Differs from the paper in: (a) fractions of a record are rounded at random; (b) the records that were nearest
are kept, not the last ones; (c) structural zeros: their cells are no targets, the first records are repaired,
and no update enters one, so that none is ever broken; (d) tables of the evidence, in coarse codes or of many
columns, are taken as they are; (e) on odd t nothing is copied, where the authors' code copies all: records of
AIM's answers on Adult at epsilon 1 were then off by 0.040 of 2-way TVD and not by 0.036, those of Grove's by
0.041 and not by 0.035 (one run each).
Cost: some 45 ns per record, table and round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.options import option
from synth.models.base import Setting
from synth.models.estimates.consistency import consistent_tables
from synth.models.records.appending import append, peeled
from synth.models.records.gradual_update import update
from synth.models.records.record_search import RecordGenerator, Search
from synth.models.records.record_table import FEWEST, MOST, RecordTable

DECAY, EVERY = 0.84, 20
"""The part of alpha that is left after so many rounds."""

WORK = 6e8
"""Most records that are looked at, about half a minute's worth; beyond it there are fewer rounds."""

LEAST_ROUNDS = 3

SECONDS = 45e-9
"""Per record, table and round on one core."""


@dataclass(frozen=True, kw_only=True)
class GradualUpdates(RecordGenerator):
    """How many records there are and how often they are gone through."""

    name: ClassVar[str] = "gum"
    title: ClassVar[str] = "Gradual updates"
    summary: ClassVar[str] = "Records changed table by table until all are near: for many small tables."

    rounds: int = option(50, label="Rounds", help="How often every table is gone through.", low=3, high=1_000)

    def rough(self) -> Self:
        """A third of the rounds."""
        return replace(self, rounds=max(LEAST_ROUNDS, self.rounds // 3))

    def seconds(self, domain: Domain) -> tuple[float, float]:
        """From few tables of few records to all pairs of many: how many records there are is private."""
        pairs = math.comb(len(domain), 2)
        few, many = pairs * (self.records or FEWEST), pairs * (self.records or MOST)
        most = min(self.rounds * many, max(WORK, LEAST_ROUNDS * many))
        return 0.05 + self.rounds * few * SECONDS, 1 + most * SECONDS

    def fitted(self, evidence: Evidence, how: Setting) -> RecordTable:
        """On one core; begins with the records of `start` if they are in the same codes.

        ValueError if a column was measured in two different sets of groups, a group holds codes that a zero
        tells apart, or the zeros leave no record.
        """
        known = consistent_tables(evidence)  # line 1
        tied = {name for z in known.zeros if len(z.clique) > 1 for name in z.clique}
        core, taken = peeled(known.tables, kept=tied)  # line 2
        search = Search(self, known, {r: table for r, table in core.items() if len(r) > 1}, how)
        targets, count = search.targets, search.count
        rounds = min(self.rounds, max(LEAST_ROUNDS, int(WORK / (count * max(1, len(targets))))))
        records, first = search.begun(rounds)  # line 3
        nearest, least = records.copy(), math.inf
        for t in range(first, rounds if targets else 0):  # line 4
            rng, gaps = np.random.default_rng([how.seed, t]), [target.gap(records) for target in targets]
            for i in np.argsort(gaps)[::-1].tolist():
                copied = 0.5 if t % 2 == 0 else 0.0
                alpha = DECAY ** (t // EVERY)
                update(
                    records, targets[i], alpha=alpha, copied=copied, guards=search.guards, rng=rng
                )  # line 5
            loss = search.told(t + 1, records)
            if loss < least:
                nearest, least = records.copy(), loss
        append(nearest, known.domain, taken, np.random.default_rng([how.seed, count, 1]))  # line 6
        return search.table(nearest)
