"""Move one marginal of a table of records towards its target by PrivSyn's gradual update.

Source: Zhang et al., PrivSyn (USENIX Security 2021), gradual update method. Cells with too few records get
records from cells with too many. Either a record of the cell is copied completely, which preserves its
relations to all other columns, or only the columns of this marginal are overwritten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.zeros import Zero

Table = NDArray[np.float64]
Records = NDArray[np.int32]
"""Coarser codes, with one row per column: int32[columns, records]."""

HALVINGS = 40
"""Number of bisections for finding the fraction of records that leave each cell."""


@dataclass(frozen=True, eq=False)
class Target:
    """The target of a marginal. Shapes: `axes`, the positions of its columns. `counts`: float64[cells], which
    sum to the number of records.
    """

    axes: tuple[int, ...]
    shape: tuple[int, ...]
    counts: Table

    def cells(self, records: Records) -> NDArray[np.int32]:
        """Return the cell of every record."""
        cell = records[self.axes[0]]
        for axis, size in zip(self.axes[1:], self.shape[1:], strict=True):
            cell = cell * np.int32(size) + records[axis]
        return np.asarray(cell)

    def gap(self, records: Records) -> float:
        """Return the share of the records that would have to change."""
        held = np.bincount(self.cells(records), minlength=self.counts.size)
        apart = float(np.abs(held - self.counts).sum())
        return apart / 2 / max(int(records.shape[1]), 1)


@dataclass(frozen=True, eq=False)
class Guard:
    """Forbidden cells of a structural zero."""

    axes: tuple[int, ...]
    forbidden: NDArray[np.bool_]

    @staticmethod
    def of(domain: Domain, zeros: Sequence[Zero]) -> list[Guard]:
        """Return the guards of all zeros that forbid a cell."""
        return [Guard(domain.axes(z.clique), z.forbidden) for z in zeros if z.forbidden.any()]

    def breaks(
        self, records: NDArray[np.integer], column: int = -1, codes: NDArray[np.integer] | None = None
    ) -> NDArray[np.bool_]:
        """Return for each record whether it is in a forbidden cell, or would be with other codes in one
        column.
        """
        return np.asarray(self.forbidden[tuple(codes if i == column else records[i] for i in self.axes)])


def update(
    records: Records,
    target: Target,
    *,
    alpha: float,
    copied: float,
    guards: Sequence[Guard],
    rng: np.random.Generator,
) -> None:
    """Move the records of one marginal towards its target. `records` is modified in place.

    `alpha`: the maximum growth of a cell, as a fraction of its count, or of its target if the cell is empty.
    `copied`: the share of the added records that are copies. Fractions of a record are rounded at random
    (systematically), so that cells that need less than half a record also get records. A record that would
    enter a forbidden cell is not changed.
    """
    cells, count = target.cells(records), records.shape[1]
    held = np.bincount(cells, minlength=target.counts.size)
    gap = target.counts - held
    wanted = np.clip(np.minimum(gap, alpha * np.where(held > 0, held, target.counts)), 0.0, None)
    more = _rounded(wanted, rng)
    less = _rounded(_given_up(np.maximum(-gap, 0.0), held, float(more.sum())), rng)
    moved = min(int(more.sum()), int(less.sum()))
    if not moved:
        return
    shuffled = rng.permutation(count)
    narrow = cells.astype(np.uint16) if target.counts.size <= 1 << 16 else cells
    order = shuffled[np.argsort(narrow[shuffled], kind="stable")]
    first = np.cumsum(held) - held
    taken = rng.permutation(order[_ranges(first, less)])[:moved]
    entered = rng.permutation(np.repeat(np.arange(more.size), more))[:moved]
    copies = (rng.random(moved) < copied) & (held[entered] > 0)
    some = entered[copies]
    models = order[first[some] + np.floor(rng.random(some.size) * held[some]).astype(np.int64)]
    records[:, taken[copies]] = records[:, models]
    _overwrite(records, taken[~copies], entered[~copies], target, guards)


def _overwrite(
    records: Records,
    rows: NDArray[np.int64],
    entered: NDArray[np.int64],
    target: Target,
    guards: Sequence[Guard],
) -> None:
    """Change the codes of records so that the records enter the given cells of the marginal. Records that
    would violate a structural zero stay unchanged.
    """
    before = records[:, rows]
    after = before.copy()
    for axis, code in zip(target.axes, np.unravel_index(entered, target.shape), strict=True):
        after[axis] = code
    for guard in guards:
        if not set(guard.axes).isdisjoint(target.axes):
            broken = guard.breaks(after)
            after[:, broken] = before[:, broken]
    records[:, rows] = after


def _given_up(excess: Table, held: NDArray[np.int64], whole: float) -> Table:
    """Return the number of records that leave each cell with too many records. A cell loses the same fraction
    of its count as every other cell, but at most its excess. In total, `whole` records leave.
    """
    over = excess > 0
    surplus, own = excess[over], held[over]
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if np.minimum(surplus, middle * own).sum() < whole else (low, middle)
    given = np.zeros_like(excess)
    given[over] = np.minimum(surplus, high * own)
    return given


def _rounded(counts: Table, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the counts, each rounded up or down to an integer so that their sum is also rounded up or
    down.
    """
    ends = np.floor(np.cumsum(counts) + rng.random() + 1e-9).astype(np.int64)
    return np.diff(ends, prepend=0)


def _ranges(first: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the concatenated ranges first[i], first[i] + 1, ... of the given lengths."""
    ends = np.cumsum(lengths)
    return np.asarray(np.arange(int(lengths.sum())) + np.repeat(first - (ends - lengths), lengths))
