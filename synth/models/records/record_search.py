"""Common parts of all searches for tables of records: initial records, targets and progress reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from synth.core.domain import Clique
from synth.core.model import Model
from synth.models.base import Generator, Setting
from synth.models.estimates.consistency import ConsistentTables, Table
from synth.models.estimates.rounding import draw_columns
from synth.models.pulse import Pulse
from synth.models.records.gradual_update import Guard, Records, Target
from synth.models.records.record_table import RecordTable, count_of, records_option
from synth.models.repair import repaired

SETTLED = 0.9
"""Ratio for convergence. A search has converged if the loss after its last tenth is at least this fraction of
the loss before it.
"""


@dataclass(frozen=True, kw_only=True)
class RecordGenerator(Generator):
    """Base class of generators that search for a table with a given number of records."""

    records: int = records_option("changed")


class Search:
    """A search for `count` records near given tables (`targets`), with the `losses` of all rounds. A loss is
    the share of a table's records that would still have to change.
    """

    def __init__(
        self,
        generator: RecordGenerator,
        known: ConsistentTables,
        tables: Mapping[Clique, Table],
        how: Setting,
    ) -> None:
        self.count = count_of(generator.records, known.total)
        self.targets = [
            Target(known.domain.axes(r), table.shape, table.reshape(-1) * (self.count / known.total))
            for r, table in tables.items()
        ]
        self.guards, self.losses = Guard.of(known.domain, known.zeros), list[float]()
        self._known, self._how = known, how

    def begun(self, rounds: int) -> Records:
        """Return the initial records of a search with `rounds` rounds."""
        self._pulse = Pulse("changing records", rounds, self._how.report)
        return first_records(self._known, self._how.start, count=self.count, seed=self._how.seed)

    def on_step(self, done: int, records: Records) -> float:
        """Report progress after every round, and return the loss."""
        loss = float(np.mean([target.gap(records) for target in self.targets]))
        self.losses.append(loss)
        self._pulse.on_step(done, loss)
        return loss

    def table(self, records: Records) -> RecordTable:
        codes, settled = records.T.astype(np.int64), has_settled(self.losses)
        return RecordTable(self._known.coarsening, self._known.total, codes, settled)


def first_records(known: ConsistentTables, start: Model | None, *, count: int, seed: int) -> Records:
    """Return records with independent columns, or the records of an earlier table in the same codes. No
    record violates a zero.

    Raises: ValueError if the zeros leave no record.
    """
    columns, rng = known.columns(), np.random.default_rng([seed, count])
    if isinstance(start, RecordTable) and start.coarsening.coarse == known.domain:
        codes = start.codes[rng.permutation(np.arange(count) % len(start.codes))]
    else:
        codes = np.stack([draw_columns(column, [], count, rng=rng)[0] for column in columns], axis=1)
    codes, _ = repaired(codes, known.domain, known.zeros, columns, rng)
    return np.ascontiguousarray(codes.T, dtype=np.int32)


def has_settled(losses: Sequence[float]) -> bool:
    """Return whether the last tenth of the rounds reduced the loss only by a negligible amount."""
    tenth = max(1, len(losses) // 10)
    if len(losses) < 2 * tenth:
        return True
    return min(losses[-tenth:]) >= SETTLED * min(losses[:-tenth])
