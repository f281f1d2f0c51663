"""Genetic search for records that are near all noisy tables.

Source: Liu, Tang, Vietri and Wu, Generating Private Synthetic Data with Genetic Algorithms, ICML 2023
(Private-GSD).

Pseudo-code
  1. Make the tables agree where they overlap (`consistency`).
  2. Draw every column independently and shuffle it.
  3. In every generation, improve the columns one by one, in random order (`genetic_search`).

Differences from the paper:

- Line 1: in the paper, noisy measurements are only clipped to the range from 0 to 1.
- Line 2: in the paper, records are drawn uniformly from the whole domain.
- Line 3: see `genetic_search`.
- Structural zeros are enforced. Their cells are not targets, the initial records are repaired, and no child
  is in a forbidden cell.
- Codes of ordered columns are used directly. Values within a code are drawn when the code is decoded.
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
"""Relative reduction of the loss by a generation below which the search stops."""

BATCH, COOLING = 0.15, 0.85
"""Fraction of the records that would have to change that is changed at once, and the factor by which this
fraction decreases in each generation. Near the end, fewer children can be applied together.
"""

WORK = 2e8
"""Maximum number of evaluations of a record in a table, which take about half a minute. If necessary, the
number of generations is reduced.
"""

SECONDS = 140e-9
"""Number of seconds per record, table that contains a column, and generation, on one core."""


@dataclass(frozen=True, kw_only=True)
class GeneticSearch(RecordGenerator):
    """Options of the genetic search: the number of records and the number of generations."""

    name: ClassVar[str] = "gsd"
    title: ClassVar[str] = "Genetic search"
    summary: ClassVar[str] = (
        "Records that are improved by mutation and crossover until every table is near its measurement."
    )

    generations: int = option(
        24, label="Generations", help="Maximum number of passes over all columns.", low=3, high=10_000
    )

    def rough(self) -> Self:
        """Return the options with a quarter of the generations."""
        return replace(self, generations=max(LEAST_GENERATIONS, self.generations // 4))

    def seconds(self, domain: Domain) -> tuple[float, float]:
        """Return the estimated time as a range, because the number of records is private."""
        columns = 2 * math.comb(len(domain), 2)
        few, many = columns * (self.records or FEWEST), columns * (self.records or MOST)
        most = min(self.generations * many, max(WORK, LEAST_GENERATIONS * many))
        return 0.05 + LEAST_GENERATIONS * few * SECONDS, 1 + most * SECONDS

    def fitted(self, evidence: Evidence, how: Setting) -> RecordTable:
        """Search on one core. The search starts from the records of `start` if they have the same codes.

        Raises: ValueError if a column was measured in two different sets of groups, if a structural zero
        applies to only some codes of a group, or if structural zeros exclude every record.
        """
        known = consistent_tables(evidence)  # line 1
        domain, search = known.domain, Search(self, known, known.tables, how)
        looks = search.count * sum(len(target.axes) for target in search.targets)
        generations = min(self.generations, max(LEAST_GENERATIONS, int(WORK / looks)))
        records = search.begun(generations)  # line 2
        for t in range(generations):  # line 3
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
            loss = search.on_step(t + 1, records)
            before = search.losses[-2:-1]
            if t + 1 >= LEAST_GENERATIONS and before and loss > (1 - GAIN) * before[0]:
                break
        return search.table(records)
