"""Counting in memory with numpy: one ravel, one bincount."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.counting.engine import NO_GROUPS, Engine
from synth.domain import CodeColumn

ROWS_AT_A_TIME = 1 << 16


class NumpyEngine(Engine):
    """Counts some rows at a time, so that beside a table little memory is needed; columns are not copied."""

    def __init__(self, columns: Sequence[NDArray[np.integer[Any]]]) -> None:
        self._columns = tuple(columns)

    def counts(
        self, axes: Sequence[int], shape: Sequence[int], *, groups: Mapping[int, CodeColumn] = NO_GROUPS
    ) -> NDArray[np.int64]:
        rows = len(self._columns[0]) if self._columns else 0
        if not axes:
            return np.array(rows)
        cells = math.prod(shape)
        at_a_time = max(ROWS_AT_A_TIME, cells)
        counts = np.zeros(cells, dtype=np.int64)
        for start in range(0, rows, at_a_time):
            block = slice(start, start + at_a_time)
            cell = self._codes(axes[0], block, groups).astype(np.int64)
            for axis, size in zip(axes[1:], shape[1:], strict=True):
                cell *= size
                cell += self._codes(axis, block, groups)
            counts += np.bincount(cell, minlength=cells)
        return counts.reshape(shape)

    def _codes(self, axis: int, block: slice, groups: Mapping[int, CodeColumn]) -> NDArray[np.integer[Any]]:
        codes = self._columns[axis][block]
        return groups[axis][codes] if axis in groups else codes
