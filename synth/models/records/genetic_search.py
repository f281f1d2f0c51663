"""Genetic search for records near given tables: the search of Private-GSD, evaluated by changes of counts.

Source: Liu, Tang, Vietri and Wu, Generating Private Synthetic Data with Genetic Algorithms (ICML 2023). The
loss of a table of records is

    sum over tables and cells of (count - target)^2.

A child differs from its parent in one cell. It is either a mutation or a crossover. A mutation has a random
code or, for ordered codes, a random code near the old one. A crossover has the code of another record. The
change of the loss follows from the cells that the record leaves and enters: 2 (gap entered - gap left + 1)
for each table that contains the column, for any number of cells.

Differences from the paper:

- Children of all records are created at once, column by column, and the best child of each record is kept.
  Improving children are applied in batches. Each batch is evaluated again against counts that include the
  earlier batches, and is undone if it does not reduce the loss as a whole. A generation of the paper makes
  one change, whereas a table needs millions of changes.
- There is one parent, the table itself. Improvements of different records add up, so an archive of parents
  has no advantage.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.models.records.gradual_update import Guard, Records, Target

MUTANTS, CROSSED, NEAR = 2, 4, 2
"""Number of children of a record in every generation: with random codes, with codes of other records, and,
only for ordered codes, with codes near its own.
"""

STEP = 0.05
"""Standard deviation of the distance of a near code, as a fraction of the number of codes. The distance is at
least one code.
"""

BLOCK = 1 << 13
"""Number of records whose children are evaluated together. The tables are updated after each block."""

BATCHES = 24
"""Maximum number of batches per block. The remaining children wait for the next generation."""

Gaps = NDArray[np.float32]


@dataclass(eq=False)
class _Tables:
    """The tables that contain a column. Shapes: `gaps[k]`: float32[cells of the others x size], counts minus
    targets, modified in place. `rows[k]`: int32[records], the first position in `gaps[k]` for the record's
    codes of the other columns.
    """

    gaps: list[Gaps]
    rows: list[NDArray[np.int32]]

    def change(self, some: NDArray[np.int64], old: Records, new: Records) -> Gaps:
        """Return the change of the loss for each child. Shapes: `new` int32[children, len(some)]."""
        change = np.zeros(new.shape, dtype=np.float32)
        for gap, row in zip(self.gaps, self.rows, strict=True):
            own = row[some]
            change += gap[own + new]
            change -= gap[own + old]
        return np.asarray(2 * (change + np.float32(len(self.gaps)) * (new != old)))

    def move(self, some: NDArray[np.int64], old: Records, new: Records) -> bool:
        """Move records from one code to another if this reduces the loss, and return whether it did."""
        signs = np.repeat([1.0, -1.0], some.size)
        moves, change = list[tuple[NDArray[np.int32], Gaps]](), 0.0
        for gap, row in zip(self.gaps, self.rows, strict=True):
            touched = np.concatenate([row[some] + new, row[some] + old])
            cells, place = np.unique(touched, return_inverse=True)
            net = np.bincount(place, weights=signs, minlength=cells.size).astype(np.float32)
            change += float((net * (2 * gap[cells] + net)).sum())
            moves.append((cells, net))
        if change >= 0:
            return False
        for gap, (cells, net) in zip(self.gaps, moves, strict=True):
            gap[cells] += net
        return True

    def moving(self) -> float:
        """Return the number of records that would have to change, averaged over the tables."""
        return sum(float(np.abs(gap).sum()) for gap in self.gaps) / 2 / max(1, len(self.gaps))


def generation(
    records: Records,
    i: int,
    targets: Sequence[Target],
    *,
    size: int,
    ordered: int,
    batch: float,
    guards: Sequence[Guard],
    rng: np.random.Generator,
) -> None:
    """Run a generation for one column. `records` is modified in place.

    `batch`: the number of children applied at once, as a fraction of the records that would have to change.
    With a larger fraction, too many children would enter the same cells. `size`: the number of codes of
    column i, of which the first `ordered` are ordered. Children in forbidden cells are not created.
    """
    tables = _around(records, i, [t for t in targets if i in t.axes], size)
    mine = [guard for guard in guards if i in guard.axes]
    shuffled = rng.permutation(records.shape[1])
    for block in np.array_split(shuffled, max(1, math.ceil(len(shuffled) / BLOCK))):
        children = _children(records[i], block, size=size, ordered=ordered, rng=rng)
        change = tables.change(block, records[i, block], children)
        best = change.argmin(axis=0)
        fit = np.flatnonzero(change[best, np.arange(block.size)] < 0)
        some, new = block[fit], children[best[fit], fit]
        for guard in mine:
            allowed = ~guard.breaks(records[:, some], i, new)
            some, new = some[allowed], new[allowed]
        most = max(1, int(batch * tables.moving()))
        some, new = some[: BATCHES * most], new[: BATCHES * most]
        for part in np.array_split(np.arange(some.size), math.ceil(some.size / most) or 1):
            _settle(records, i, some[part], new[part], tables)


def _around(records: Records, i: int, targets: Sequence[Target], size: int) -> _Tables:
    gaps, rows = list[Gaps](), list[NDArray[np.int32]]()
    for target in targets:
        place = target.axes.index(i)
        row = np.zeros(records.shape[1], dtype=np.int32)
        for axis, width in zip(target.axes, target.shape, strict=True):
            if axis != i:
                row = row * np.int32(width) + records[axis]
        row = row * np.int32(size)
        wanted = np.moveaxis(target.counts.reshape(target.shape), place, -1).reshape(-1)
        held = np.bincount(row + records[i], minlength=wanted.size)
        gaps.append((held - wanted).astype(np.float32))
        rows.append(row)
    return _Tables(gaps, rows)


def _children(
    column: Records, block: NDArray[np.int64], *, size: int, ordered: int, rng: np.random.Generator
) -> Records:
    """Return the children of a block of records. Shapes: int32[children, len(block)]."""
    own, count = column[block], block.size
    mutants = rng.integers(0, size, (MUTANTS, count), dtype=np.int32)
    crossed = column[rng.integers(0, column.size, (CROSSED, count))]
    if ordered < 2:
        return np.concatenate([mutants, crossed])
    steps = np.rint(rng.standard_normal((NEAR, count)) * max(1.0, STEP * ordered)).astype(np.int32)
    near = np.where(own < ordered, np.clip(own + steps, 0, ordered - 1), own).astype(np.int32)
    return np.concatenate([mutants, crossed, near])


def _settle(records: Records, i: int, some: NDArray[np.int64], new: Records, tables: _Tables) -> None:
    """Apply the changes that reduce the loss individually, unless together they do not reduce it."""
    still = tables.change(some, records[i, some], new[None])[0] < 0
    some, new = some[still], new[still]
    if tables.move(some, records[i, some], new):
        records[i, some] = new
