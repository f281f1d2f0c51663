"""Count in memory with numpy, by one `bincount` per batch of rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import CodeColumn
from synth.private.counting.engine import NO_GROUPS, Engine

ROWS_AT_A_TIME = 1 << 16


class NumpyEngine(Engine):
    """Counts in batches of rows, so that little memory is needed besides the table.

    Columns are not copied. If a column is requested in groups, its most recent grouped codes are cached.
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
