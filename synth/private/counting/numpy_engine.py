"""Count in memory with numpy: one ravel, one bincount."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import CodeColumn
from synth.core.measurements.nearest import nearest
from synth.private.counting.engine import NO_GROUPS, Engine

ROWS_AT_A_TIME = 1 << 16
PHASES_AT_A_TIME = 1 << 20


class NumpyEngine(Engine):
    """Counts some rows at a time, so that little memory is needed beside a table.

    Columns are not copied; for a column that was requested in groups, the codes of the last grouping are
    kept.
    """

    def __init__(self, columns: Sequence[NDArray[np.integer[Any]]]) -> None:
        self._columns = tuple(columns)
        self._grouped: dict[int, tuple[CodeColumn, CodeColumn]] = {}

    def counts(
        self, axes: Sequence[int], shape: Sequence[int], *, groups: Mapping[int, CodeColumn] = NO_GROUPS
    ) -> NDArray[np.int64]:
        if not axes:
            return np.array(self._rows)
        columns = [self._column(axis, groups.get(axis)) for axis in axes]
        cells = math.prod(shape)
        at_a_time = max(ROWS_AT_A_TIME, cells)
        counts = np.zeros(cells, dtype=np.int64)
        for start in range(0, self._rows, at_a_time):
            block = slice(start, start + at_a_time)
            cell = columns[0][block].astype(np.int64)
            for column, size in zip(columns[1:], shape[1:], strict=True):
                cell *= size
                cell += column[block]
            counts += np.bincount(cell, minlength=cells)
        return counts.reshape(shape)

    def sums(
        self,
        axes: Sequence[int],
        shape: Sequence[int],
        *,
        frequencies: NDArray[np.uint16],
        wave: NDArray[np.integer[Any]],
        by: int | None = None,
        groups: Mapping[int, CodeColumn] = NO_GROUPS,
    ) -> NDArray[np.int64]:
        columns = [self._column(axis, groups.get(axis)) for axis in axes]
        at_a_time = max(1, PHASES_AT_A_TIME // len(frequencies))
        sums = np.zeros((1 if by is None else shape[by], len(frequencies), wave.shape[1]), dtype=np.int64)
        for start in range(0, len(columns[0]), at_a_time):
            codes = np.stack([column[start : start + at_a_time] for column in columns], axis=1)
            codes = codes[(codes < np.asarray(shape)).all(axis=1)]
            if not len(codes):
                continue
            if by is None:
                parts, firsts = np.zeros(1, dtype=np.intp), np.zeros(1, dtype=np.intp)
            else:
                codes = codes[np.argsort(codes[:, by], kind="stable")]
                parts, firsts = np.unique(codes[:, by], return_index=True)
            phases = np.zeros((len(codes), len(frequencies)), dtype=np.uint16)
            for position, steps in enumerate(frequencies.T):
                if position != by and steps.any():
                    phases += codes[:, position, None].astype(np.uint16) * steps  # wraps, as phases do
            waves = wave[phases & np.uint16(len(wave) - 1)]
            sums[parts] += np.add.reduceat(waves, firsts, axis=0, dtype=np.int64)
        return sums

    def votes(
        self,
        axes: Sequence[int],
        shape: Sequence[int],
        *,
        candidates: NDArray[np.int64],
        points: Sequence[NDArray[np.int64]],
        by: int | None = None,
        groups: Mapping[int, CodeColumn] = NO_GROUPS,
    ) -> NDArray[np.int64]:
        columns = [self._column(axis, groups.get(axis)) for axis in axes]
        compared = [i for i in range(len(axes)) if i != by]
        votes = np.zeros(len(candidates), dtype=np.int64)
        for start in range(0, len(columns[0]), ROWS_AT_A_TIME):
            codes = np.stack([column[start : start + ROWS_AT_A_TIME] for column in columns], axis=1)
            codes = codes[(codes < np.asarray(shape)).all(axis=1)]
            for part in (None,) if by is None else np.unique(candidates[:, by]):
                mine = slice(None) if part is None else np.flatnonzero(candidates[:, by] == part)
                rows = codes if part is None else codes[codes[:, by] == part]
                among = candidates[mine]
                chosen = nearest(rows[:, compared].T, among[:, compared].T, [points[i] for i in compared])
                votes[mine] += np.bincount(chosen, minlength=len(among))
        return votes

    @property
    def _rows(self) -> int:
        return len(self._columns[0]) if self._columns else 0

    def _column(self, axis: int, group_of: CodeColumn | None) -> NDArray[np.integer[Any]]:
        if group_of is None:
            return self._columns[axis]
        last = self._grouped.get(axis)
        if last is None or not np.array_equal(last[0], group_of):
            last = self._grouped[axis] = group_of, group_of[self._columns[axis]]
        return last[1]
