"""Genetic search: records that are bred until all noisy tables are near.

Source: Liu, Tang, Vietri and Wu, Generating Private Synthetic Data with Genetic Algorithms, ICML 2023
(Private-GSD).

  1. the tables agree where they overlap (`consistency`)
  2. every column by itself, shuffled
  3. for every generation: for every column, in random order: breed (`genetic_search`)

Differs from the paper in: (a) line 1, where noisy measurements are only cut off at 0 and 1; (b) line 2, where
records are drawn evenly from the whole domain; (c) how a generation is bred, see `genetic_search`; (d)
structural zeros: their cells are no targets, the first records are repaired, and no child is born in one;
(e) codes of columns in order are bred as they are; values inside a code are drawn when it is decoded.
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
from synth.models.records.genetic_search import generation
from synth.models.records.record_search import RecordGenerator, Search
from synth.models.records.record_table import FEWEST, MOST, RecordTable

LEAST_GENERATIONS = 3

GAIN = 0.01
"""A generation that brings the loss down by a smaller part than this is the last."""

BATCH, COOLING = 0.15, 0.85
"""Children made at once, as a part of the records that would have to move; what is left of it after
a generation: near the end, few fit beside each other."""

WORK = 2e8
"""Most looks of a record at a table, about half a minute's worth; beyond it there are fewer generations."""

SECONDS = 140e-9
"""Per record, table that holds a column, and generation on one core."""


@dataclass(frozen=True, kw_only=True)
class GeneticSearch(RecordGenerator):
    """How many records there are and how many generations are bred."""

    name: ClassVar[str] = "gsd"
    title: ClassVar[str] = "Genetic search"
    summary: ClassVar[str] = "Records bred by mutation and crossover until every table is near its answer."

    generations: int = option(
        24, label="Generations", help="How often every column is gone through at most.", low=3, high=10_000
    )

    def rough(self) -> Self:
        """A quarter of the generations."""
        return replace(self, generations=max(LEAST_GENERATIONS, self.generations // 4))

    def seconds(self, domain: Domain) -> tuple[float, float]:
        """From few records to many: how many there are is private."""
        columns = 2 * math.comb(len(domain), 2)
        few, many = columns * (self.records or FEWEST), columns * (self.records or MOST)
        most = min(self.generations * many, max(WORK, LEAST_GENERATIONS * many))
        return 0.05 + LEAST_GENERATIONS * few * SECONDS, 1 + most * SECONDS

    def fitted(self, evidence: Evidence, how: Setting) -> RecordTable:
        """On one core; begins with the records of `start` if they are in the same codes.

        ValueError if a column was measured in two different sets of groups, a group holds codes that a zero
        tells apart, or the zeros leave no record.
        """
        known = consistent_tables(evidence)  # line 1
        domain, search = known.domain, Search(self, known, known.tables, how)
        looks = search.count * sum(len(target.axes) for target in search.targets)
        generations = min(self.generations, max(LEAST_GENERATIONS, int(WORK / looks)))
        records, first = search.begun(generations)  # line 2
        for t in range(first, generations):  # line 3
            rng = np.random.default_rng([how.seed, t])
            for i in rng.permutation(len(domain)).tolist():
                generation(
                    records,
                    i,
                    search.targets,
                    size=domain.sizes[i],
                    ordered=known.ordered.get(domain.names[i], 0),
                    batch=BATCH * COOLING**t,
                    guards=search.guards,
                    rng=rng,
                )
            loss = search.told(t + 1, records)
            before = search.losses[-2:-1]
            if t + 1 >= LEAST_GENERATIONS and before and loss > (1 - GAIN) * before[0]:
                break
        return search.table(records)
