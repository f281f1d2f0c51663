"""What searches among tables of records have in common: where they begin, what they tell, what they keep."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from synth.core.model import Model
from synth.core.numbers import per_cent
from synth.core.progress import Checkpoint, Progress, Reporter
from synth.models.base import Generator
from synth.models.estimates.consistency import ConsistentTables
from synth.models.estimates.rounding import draw_columns
from synth.models.pgm import fitting
from synth.models.records.record_table import FEWEST, MOST, RecordTable
from synth.models.repair import repaired

Records = NDArray[np.int32]
"""Coarse codes, one row per column: int32[columns, records]."""

SETTLED = 0.9
"""A search whose last tenth left more than this part of what was off before has settled."""


def count_of(known: ConsistentTables, wanted: int) -> int:
    """How many records to search among: so many, or as many as there seem to be."""
    return wanted or min(MOST, max(FEWEST, round(known.total)))


def first_records(known: ConsistentTables, start: Model | None, *, count: int, seed: int) -> Records:
    """Columns that know nothing of each other, or the records of an earlier table in the same codes. None
    breaks a zero; ValueError if the zeros leave no record."""
    columns, rng = known.columns(), np.random.default_rng([seed, count])
    if isinstance(start, RecordTable) and start.coarsening.coarse == known.domain:
        codes = start.codes[rng.permutation(np.arange(count) % len(start.codes))]
    else:
        codes = np.stack([draw_columns(column, [], count, rng=rng)[0] for column in columns], axis=1)
    codes, _ = repaired(codes, known.domain, known.zeros, columns, rng)
    return np.ascontiguousarray(codes.T, dtype=np.int32)


def has_settled(losses: Sequence[float]) -> bool:
    """Whether the last tenth of the rounds brought next to nothing."""
    tenth = max(1, len(losses) // 10)
    if len(losses) < 2 * tenth:
        return True
    return min(losses[-tenth:]) >= SETTLED * min(losses[:-tenth])


class Told:
    """Tells of the rounds now and then, keeps the records, and remembers the losses."""

    def __init__(
        self,
        options: Generator,
        known: ConsistentTables,
        *,
        seed: int,
        report: Reporter,
        checkpoint: Checkpoint,
    ) -> None:
        told = hashlib.sha256(repr((options, seed, known.domain, known.total, list(known.tables))).encode())
        for table in known.tables.values():
            told.update(table.tobytes())
        self._signature = np.frombuffer(told.digest(), dtype=np.uint32).astype(np.float64)
        self._name, self._report, self._checkpoint = options.name, report, checkpoint
        self._last = time.monotonic()
        self.losses: list[float] = []

    def saved(self, *, columns: int, count: int) -> tuple[Records | None, int]:
        """The records of an earlier fit of the same tables by the same options, and its rounds."""
        kept, head = self._checkpoint.load().get(self._name), self._signature.size
        if kept is None or kept.size != head + 1 + columns * count:
            return None, 0
        if not np.array_equal(kept[:head], self._signature):
            return None, 0
        return kept[head + 1 :].reshape(columns, count).astype(np.int32), int(kept[head])

    def round(self, done: int, rounds: int, loss: float, records: Records) -> None:
        """After every round. `loss`: the share of the records of a table that would still have to move."""
        self.losses.append(loss)
        if time.monotonic() - self._last <= fitting.PULSE_SECONDS:
            return
        self._checkpoint.save({self._name: np.concatenate([self._signature, [done], records.reshape(-1)])})
        fact = f"{per_cent(loss, 2)} of the records of a table still have to move after round {done}"
        self._report(Progress(stage="fit", done=done / rounds, fact=fact, steps=done, loss=loss))
        self._last = time.monotonic()
