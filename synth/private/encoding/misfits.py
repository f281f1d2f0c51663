"""Store which cells of a column do not fit the declaration, and count them by code and reason.

Most cells fit, so only the positions of the others are stored.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synth.core.columns.unfit import REASONS
from synth.core.domain import CodeColumn
from synth.private.sealed import Hidden


class Misfits(Hidden):
    """The cells of one column that do not fit: their rows, and the number of the reason of each."""

    def __init__(self) -> None:
        self._rows, self._reasons, self._length = list[NDArray[np.intp]](), list[NDArray[np.uint8]](), 0

    def add(self, reasons: NDArray[np.uint8], index: NDArray[np.int32]) -> None:
        """Add a block of rows. `reasons` has one number per distinct string, and `index` the string of each
        row.
        """
        if reasons.any():
            rows = np.flatnonzero((reasons > 0)[index])
            self._rows.append(rows + self._length)
            self._reasons.append(reasons[index[rows]])
        self._length += len(index)

    def kept(self, rows: NDArray[np.intp]) -> Misfits:
        """Return the cells of the rows at these ascending positions, which become the rows 0, 1, 2 ..."""
        other = Misfits()
        all_rows, reasons = self._whole()
        if len(all_rows) and len(rows):
            place = np.minimum(np.searchsorted(rows, all_rows), len(rows) - 1)
            found = rows[place] == all_rows
            other._rows, other._reasons = [place[found]], [reasons[found]]
        other._length = len(rows)
        return other

    def counts(self, codes: CodeColumn, span: int) -> NDArray[np.int64]:
        """Return the number of cells by code and reason. Shapes: int64[span, reasons]."""
        rows, reasons = self._whole()
        counts = np.zeros((span, len(REASONS)), dtype=np.int64)
        np.add.at(counts, (codes[rows], reasons.astype(np.intp) - 1), 1)
        return counts

    def _whole(self) -> tuple[NDArray[np.intp], NDArray[np.uint8]]:
        rows = np.concatenate([np.empty(0, dtype=np.intp), *self._rows])
        return rows, np.concatenate([np.empty(0, dtype=np.uint8), *self._reasons])
