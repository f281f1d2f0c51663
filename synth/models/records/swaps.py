"""Swap values of one column between two records so that the records' tables approach given targets.

A swap leaves every one-way count unchanged and changes four cells of each table of two or more columns that
contains the column. It is made if it reduces the cost

    sum over tables and cells of (count - target)^2 / (target + 1).

Records are processed in blocks, column by column. The cost of every value for every record of a block is a
product of the block's one-hot codes and the gradients of the tables. Each record is compared with a few
randomly drawn partners, and the best swap is kept. These swaps are evaluated again individually and made in
batches, each against the current tables. The size of a batch is a fraction of the number of swaps that would
close the gap, because more swaps at once would overshoot. A sweep that increases the cost is undone. Swaps
into forbidden cells are never made.

Related work: synthetic reconstruction by simulated annealing (Voas and Williamson 2000), and PrivSyn's GUM,
which overwrites records and thereby loses their other relations.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from synth.core.domain import Clique, Domain
from synth.core.table import CodeTable
from synth.core.zeros import Zero
from synth.models.records.gradual_update import Guard

Codes = NDArray[np.int64]
Records = NDArray[np.int32]
"""Rows of codes, or of numbers of codes in a common numbering of several columns (`_Around`)."""
Costs = NDArray[np.float32]
Table = TypeVar("Table", bound=NDArray[np.generic])

WORK = 1e10
"""Maximum number of processed table cells, which takes about ten seconds. Unlike a time limit, it leads to
the same records on every machine.
"""

SWEEPS = 12
"""Maximum number of sweeps over all columns and records."""

SWEPT = 1 << 15
"""Number of records in a sweep. The first swaps of a column gain most, and swaps of other columns then change
the gain of further swaps. Therefore, several small sweeps take less time than one sweep over all records and
reach the same distance.
"""

SETTLED = 0.1
"""Relative reduction of the cost below which a sweep over all records is the last. For a sweep over some of
the records, it is multiplied by their share.
"""

PARTNERS = 8
"""Number of partners with which each record of a block is compared."""

BLOCK = 4096
"""Number of records in a block, so that a block fits into a core's cache and tables are updated often
enough.
"""

BLOCK_CELLS = 1 << 21
"""Maximum number of costs that are computed per block."""

BATCH = 0.3
"""Number of swaps that are evaluated at once, as a fraction of the swaps that would close the gap if each had
its full effect.
"""

BATCHES = 48
"""Maximum number of batches per block. Swaps with a smaller expected effect wait for the next sweep."""


class _Tables:
    """All tables with their targets, weights and counts, and an index by column."""

    def __init__(self, domain: Domain, targets: Mapping[Clique, NDArray[np.float64]]) -> None:
        self._domain, self.sizes = domain, domain.sizes
        self._cliques = {domain.axes(r): r for r in targets}
        self._targets = {domain.axes(r): target for r, target in targets.items()}
        self._weights = {r: 1 / (target + 1) for r, target in self._targets.items()}
        self._counts: dict[tuple[int, ...], NDArray[np.int64]] = {}
        self._of = [sorted((r for r in self._targets if i in r), key=len) for i in range(len(domain))]

    @property
    def columns(self) -> list[int]:
        """Return the columns that are in a table and have more than one code."""
        return [i for i, tables in enumerate(self._of) if tables and self.sizes[i] > 1]

    def holding(self, i: int) -> int:
        """Return the number of tables that contain column i."""
        return len(self._of[i])

    def count(self, records: Records) -> None:
        """Count the records in all tables."""
        room = sum(target.size for target in self._targets.values())
        table = CodeTable(self._domain, records, room=room)
        table.count_ahead(self._cliques.values())
        self._counts = {r: table.counts(clique) for r, clique in self._cliques.items()}

    def cost(self) -> float:
        return sum(
            float((self._weights[r] * np.square(self._counts[r] - target)).sum())
            for r, target in self._targets.items()
        )

    def gap(self, i: int | None = None) -> float:
        """Return the distance between counts and targets, averaged over all tables or over the tables that
        contain column i.
        """
        tables = list(self._targets) if i is None else self._of[i]
        return sum(float(np.abs(self._counts[r] - self._targets[r]).sum()) for r in tables) / len(tables)

    def around(self, i: int) -> _Around:
        """Return the cost of adding and of removing a record with each code of column i, for every cell of
        the other columns.
        """
        others = [tuple(a for a in r if a != i) for r in self._of[i]]
        firsts = np.cumsum([0, *(self._targets[r].size // self.sizes[i] for r in self._of[i])]).astype(
            np.int32
        )
        more, less, step = (np.empty((firsts[-1], self.sizes[i]), dtype=np.float32) for _ in range(3))
        for r, first, last in zip(self._of[i], firsts[:-1], firsts[1:], strict=True):
            weight, place = self._weights[r], r.index(i)
            slope = 2 * weight * (self._counts[r] - self._targets[r])
            for table, part in ((more, weight + slope), (less, weight - slope), (step, 2 * weight)):
                table[first:last] = _with_last(part, place).reshape(-1, self.sizes[i])
        return _Around(self.sizes, others, firsts[:-1], more, less, step)

    def moved(self, i: int, rows: Records, *, before: Records, after: Records) -> None:
        """Count the changes of column i in some records. `rows` identifies the cells of their other codes."""
        width = self.sizes[i]
        cells = rows * np.intp(width)
        size = sum(self._targets[r].size for r in self._of[i])
        change = np.bincount((cells + after[:, None]).reshape(-1), minlength=size)
        change -= np.bincount((cells + before[:, None]).reshape(-1), minlength=size)
        ends = np.cumsum([self._targets[r].size for r in self._of[i]])
        for r, part in zip(self._of[i], np.split(change, ends[:-1]), strict=True):
            counts = _with_last(self._counts[r], r.index(i))
            counts += part.reshape(counts.shape)


def _with_last(table: Table, axis: int) -> Table:
    """Return a view of a table in which this axis is the last."""
    axes = list(range(table.ndim))
    axes.append(axes.pop(axis))
    return table.transpose(axes)


def _number(columns: Records, axes: Sequence[int], sizes: Sequence[int]) -> Records:
    """Return the cell of each record in the flattened table of some columns. Shapes: int32[records]."""
    cells: Records = columns[axes[0]]
    for axis in axes[1:]:
        cells = cells * np.int32(sizes[axis]) + columns[axis]
    return cells


@dataclass(frozen=True, eq=False)
class _Around:
    """Costs of adding and of removing a record, and the change of both costs per added record.

    Shapes: float32[cells of all `others`, codes of one column]. The others are the columns that are in a
    table with the given column, single columns first. Their cells have a common numbering: the cell plus
    `firsts`, the number of cells of the previous tables.
    """

    sizes: Sequence[int]
    others: Sequence[tuple[int, ...]]
    firsts: Records
    more: Costs
    less: Costs
    step: Costs

    def rows(self, records: Records) -> Records:
        """Return the rows of the tables in which records are counted. Shapes: int32[records, others]."""
        alone = [axes[0] for axes in self.others if len(axes) == 1]
        rows = np.empty((len(records), len(self.others)), dtype=np.int32)
        rows[:, : len(alone)] = records.take(alone, axis=1)
        for n in range(len(alone), len(self.others)):
            rows[:, n] = _number(records.T, self.others[n], self.sizes)
        rows += self.firsts
        return rows

    def move(self, left: Records, entered: Records) -> None:
        """Update the counts and costs for records that move between cells of the flattened tables."""
        for cells, sign in ((left, -1), (entered, 1)):
            change = self.step.reshape(-1)[cells] * np.float32(sign)
            np.add.at(self.more.reshape(-1), cells, change)
            np.add.at(self.less.reshape(-1), cells, -change)


def swap(
    codes: Codes,
    domain: Domain,
    targets: Mapping[Clique, NDArray[np.float64]],
    *,
    rng: np.random.Generator,
    zeros: Iterable[Zero] = (),
    near: float = 0.0,
    sweeps: int = SWEEPS,
    kept: Collection[str] = (),
    work: float = WORK,
) -> Codes:
    """Return records with the same one-way counts and with tables nearer to the targets.

    Shapes: `codes` int64[rows, len(domain)], none in a forbidden cell. `targets[r]`: float64[shape(r)] for
    cliques r of two or more columns, in counts that sum to the number of rows. `near`: the mean distance of a
    table from its target at which swaps stop, in counts summed over cells. `sweeps`: the maximum number of
    sweeps. `work`: the maximum number of processed table cells. Values of the columns in `kept` are not
    swapped. Deterministic given `rng`.
    """
    rows = len(codes)
    if rows < 2 or not targets or not work:
        return codes
    tables = _Tables(domain, targets)
    best = np.array(codes, dtype=np.int32)
    tables.count(best)
    moving = [i for i in tables.columns if domain.names[i] not in kept]
    looks = sum((tables.holding(i) + 1) * _looks(tables.sizes[i]) for i in moving)
    affordable = work / (rows * max(1, looks))
    part = min(1.0, SWEPT / rows, affordable)
    some = int(rows * part)
    guards = Guard.of(domain, [z for z in zeros if len(z.clique) > 1])
    cost = tables.cost()
    for _ in range(int(min(sweeps, affordable) / part)):
        if tables.gap() <= near:
            break
        drawn = rng.choice(rows, some, replace=False)
        trial = best[drawn]
        for i in rng.permutation(moving).tolist():
            if tables.gap(i) > near and not _sweep(trial, i, tables, [g for g in guards if i in g.axes], rng):
                moving.remove(i)
        reached = tables.cost()
        if reached >= cost:
            break
        best[drawn] = trial
        gain, cost = cost - reached, reached
        if gain < SETTLED * part * (cost + gain):
            break
    return best.astype(np.int64)


def _looks(size: int) -> float:
    """Return the number of processed cells for a column, per record and table that contains it."""
    return 16 + size / 8


def _sweep(
    records: Records, i: int, tables: _Tables, guards: Sequence[Guard], rng: np.random.Generator
) -> bool:
    """Swap values of column i, in `records` itself. Return False if there was nothing to swap."""
    batch = int(BATCH * tables.gap(i) / 4)
    if not batch:
        return False
    around = tables.around(i)
    own, changes = records[:, i].copy(), []
    most = max(2, min(BLOCK, BLOCK_CELLS // tables.sizes[i]))
    parts = max(1, math.ceil(len(records) / most))
    for start, stop in pairwise(len(records) * k // parts for k in range(parts + 1)):
        whole, values = records[start:stop], own[start:stop]
        block = around.rows(whole)
        one, two = _offers(block, values, around, rng, most=BATCHES * batch)
        for some in np.array_split(np.arange(len(one)), math.ceil(len(one) / batch) or 1):
            first, second = one[some], two[some]
            allowed = np.ones(len(some), dtype=bool)
            for guard in guards:
                allowed &= ~guard.breaks(whole[first].T, i, values[second])
                allowed &= ~guard.breaks(whole[second].T, i, values[first])
            _settle(block, values, first, second, allowed, around)
        changes.append(block[whole[:, i] != values])
    changed = np.flatnonzero(records[:, i] != own)
    tables.moved(i, np.concatenate(changes), before=records[changed, i], after=own[changed])
    records[:, i] = own
    return len(changed) > 0


def _offers(
    block: Records, values: Records, around: _Around, rng: np.random.Generator, *, most: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return at most `most` pairs of records for which a swap probably reduces the cost. The pairs are in
    random order, and each record is in at most one pair.

    Shapes: `values` int32[len(block)]. The result is two lists of rows. Every record of the first half is
    compared with a few records of the second half.
    """
    half = len(block) // 2
    costs = _costs(block[: 2 * half], values[: 2 * half], around)
    width = costs.shape[1]
    mine, yours = costs[:half].reshape(-1), costs[half:].reshape(-1)
    first = np.arange(half, dtype=np.int32) * width
    ours, theirs = values[:half], values[half : 2 * half]
    their_first, theirs = np.concatenate([first, first]), np.concatenate([theirs, theirs])
    shifts = rng.integers(0, max(half, 1), PARTNERS)
    change = np.empty((PARTNERS, half), dtype=np.float32)
    for shift, row in zip(shifts.tolist(), change, strict=True):
        there = slice(shift, shift + half)
        np.add(mine.take(first + theirs[there]), yours.take(their_first[there] + ours), out=row)
    best = change.argmin(axis=0)
    least = change[best, np.arange(half)]
    one = np.flatnonzero(least < 0)
    two = (one + shifts[best[one]]) % half
    worst_first = np.argsort(-least[one], kind="stable")
    taken = np.empty(half, dtype=np.intp)
    taken[two[worst_first]] = worst_first
    kept = worst_first[taken[two[worst_first]] == worst_first][-most:]
    kept = rng.permutation(kept)
    return one[kept], half + two[kept]


def _costs(block: Records, values: Records, around: _Around) -> Costs:
    """Return the cost of each value for each record. Shapes: float32[rows, codes of the column]."""
    rows, columns = block.shape
    ones = np.ones(block.size, dtype=np.float32)
    starts = np.arange(0, block.size + 1, columns, dtype=np.int32)
    hot = csr_array((ones, block.reshape(-1), starts), shape=(rows, len(around.more)))
    costs: Costs = hot @ around.more
    own = around.less.reshape(-1).take(block * np.int32(costs.shape[1]) + values[:, None])
    costs += own @ np.ones((columns, 1), dtype=np.float32)
    return costs


def _settle(
    block: Records,
    values: Records,
    one: NDArray[np.intp],
    two: NDArray[np.intp],
    allowed: NDArray[np.bool_],
    around: _Around,
) -> None:
    """Make the allowed swaps that reduce the cost individually. `values` and the tables in `around` are
    modified.
    """
    width = np.int32(around.more.shape[1])
    u, v = values[one][:, None], values[two][:, None]
    cells_one, cells_two = block[one] * width, block[two] * width
    left, entered = (cells_one + u, cells_two + v), (cells_one + v, cells_two + u)
    less, more = around.less.reshape(-1), around.more.reshape(-1)
    change = less.take(left[0])
    change += more.take(entered[0])
    change += less.take(left[1])
    change += more.take(entered[1])
    change[cells_one == cells_two] = 0.0
    chosen = np.flatnonzero(allowed & (change.sum(axis=1) < 0))
    around.move(*(np.concatenate([part[chosen].reshape(-1) for part in side]) for side in (left, entered)))
    values[one[chosen]], values[two[chosen]] = v[chosen, 0], u[chosen, 0]
