"""Records that are bred towards tables: the search of Private-GSD, judged by changes of counts.

Source: Liu, Tang, Vietri and Wu, Generating Private Synthetic Data with Genetic Algorithms (ICML 2023). The
fitness of a table of records is

    sum over tables and cells of (count - target)^2

A child differs from its parent in one cell. It is a mutation, another code at random (near the old one, too,
where codes are in order), or a crossover, the code of another record. What a child changes of the fitness is
read off at the cells that its record leaves and enters: 2 (gap entered - gap left + 1) for each table that
holds the column, for any number of cells.

Differs from the paper in: (a) it breeds children of all records at once, column by column, and keeps of every
record's children the fittest; those that improve are made in batches, each judged once more against counts
that know of the batches before, and a batch that improves nothing together is undone: a generation of the
paper makes one change, and a table needs millions; (b) there is one parent, the table itself: improvements of
different records add up, so that nothing is gained by an archive of parents.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.models.records.gradual_update import Guard, Records, Target

MUTANTS, CROSSED, NEAR = 2, 4, 2
"""Children of a record in every generation: codes at random, codes of other records, and, only where codes
are in order, codes near its own."""

STEP = 0.05
"""Standard deviation of a near code's distance, over the number of codes; at least one code."""

BLOCK = 1 << 13
"""Records whose children are judged together: the tables change from block to block."""

BATCHES = 24
"""Most batches of a block; children beyond them are left for the next generation."""

Gaps = NDArray[np.float32]


@dataclass(eq=False)
class _Tables:
    """The tables that hold a column. Shapes: `gaps[k]`: float32[cells of the others x size], counts less
    targets, changed in place; `rows[k]`: int32[records], where a record's other columns begin in it."""

    gaps: list[Gaps]
    rows: list[NDArray[np.int32]]

    def change(self, some: NDArray[np.int64], old: Records, new: Records) -> Gaps:
        """What the fitness would change by. Shapes: `new` int32[children, len(some)]."""
        change = np.zeros(new.shape, dtype=np.float32)
        for gap, row in zip(self.gaps, self.rows, strict=True):
            own = row[some]
            change += gap[own + new]
            change -= gap[own + old]
        return np.asarray(2 * (change + np.float32(len(self.gaps)) * (new != old)))

    def move(self, some: NDArray[np.int64], old: Records, new: Records) -> bool:
        """Count records that leave a code and enter one if that helps the fitness; tells whether it did."""
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
        """Records that would have to move, on average over the tables."""
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
    """Breed a generation in one column; changes `records` in place.

    `batch`: children made at once, as a part of the records that would have to move; more of them would enter
    the same cells together.
    `size`: the codes of column i, of which the first `ordered` are in order. A child that would fall into a
    forbidden cell is not born.
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
    """Shapes: int32[children, len(block)]."""
    own, count = column[block], block.size
    mutants = rng.integers(0, size, (MUTANTS, count), dtype=np.int32)
    crossed = column[rng.integers(0, column.size, (CROSSED, count))]
    if ordered < 2:
        return np.concatenate([mutants, crossed])
    steps = np.rint(rng.standard_normal((NEAR, count)) * max(1.0, STEP * ordered)).astype(np.int32)
    near = np.where(own < ordered, np.clip(own + steps, 0, ordered - 1), own).astype(np.int32)
    return np.concatenate([mutants, crossed, near])


def _settle(records: Records, i: int, some: NDArray[np.int64], new: Records, tables: _Tables) -> None:
    """Make those changes that improve by themselves, unless they do not improve together."""
    still = tables.change(some, records[i, some], new[None])[0] < 0
    some, new = some[still], new[still]
    if tables.move(some, records[i, some], new):
        records[i, some] = new
