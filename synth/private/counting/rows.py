"""Compute results that need rows and not only counts: sums of waves over the rows, and votes of the rows.

All results are exact integers, and the contribution of a row does not depend on other rows. A row with a code
that is not below `shape` adds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import CodeColumn
from synth.core.errors import Code, Refusal
from synth.core.measurements.nearest import nearest

ROWS_AT_A_TIME = 1 << 16
PHASES_AT_A_TIME = 1 << 20

LARGEST = 1 << 31
"""Maximum number of sums in one query. A larger query is refused before any row is read."""


def wave_sums(
    columns: Sequence[CodeColumn],
    shape: Sequence[int],
    *,
    frequencies: NDArray[np.uint16],
    wave: NDArray[np.integer[Any]],
    by: int | None = None,
) -> NDArray[np.int64]:
    """Return the sums of wave[phase] over the rows.

    The phase of a row at a frequency is the sum of code times frequency over all columns, modulo the length
    of the wave. With `by`, there is a separate sum for each code of the column at that position, and the
    frequencies of this column are ignored. Without it, all rows are summed together.

    Shapes: `frequencies` uint16[f, columns]; `wave` [2^16 or a power of two below, m]; int64[shape[by] or 1,
    f, m]. Raises: `Refusal` QUERY_INVALID for more than `LARGEST` sums.
    """
    parts = 1 if by is None else shape[by]
    if parts * len(frequencies) * wave.shape[1] > LARGEST:
        raise Refusal(Code.QUERY_INVALID)
    sums = np.zeros((parts, len(frequencies), wave.shape[1]), dtype=np.int64)
    for codes in _blocks(columns, shape, max(1, PHASES_AT_A_TIME // len(frequencies))):
        if not len(codes):
            continue
        if by is None:
            present, firsts = np.zeros(1, dtype=np.intp), np.zeros(1, dtype=np.intp)
        else:
            codes = codes[np.argsort(codes[:, by], kind="stable")]
            present, firsts = np.unique(codes[:, by], return_index=True)
        phases = np.zeros((len(codes), len(frequencies)), dtype=np.uint16)
        for position, steps in enumerate(frequencies.T):
            if position != by and steps.any():
                phases += codes[:, position, None].astype(np.uint16) * steps  # wraps, as phases do
        waves = wave[phases & np.uint16(len(wave) - 1)]
        sums[present] += np.add.reduceat(waves, firsts, axis=0, dtype=np.int64)
    return sums


def votes_of(
    columns: Sequence[CodeColumn],
    shape: Sequence[int],
    *,
    candidates: NDArray[np.int64],
    points: Sequence[NDArray[np.int64]],
    by: int | None = None,
) -> NDArray[np.int64]:
    """Return the number of rows that are nearest to each candidate. In a tie, the row counts for the first
    candidate.

    The distance is the squared distance between points, summed over all columns except the one at position
    `by`, if given. With `by`, a row votes only for candidates with the same code in that column, and does not
    vote if there is none.

    Shapes: `candidates` int64[m, columns]; `points[i]` int64[shape[i], any], with coordinates of at most 255;
    int64[m].
    """
    compared = [i for i in range(len(columns)) if i != by]
    votes = np.zeros(len(candidates), dtype=np.int64)
    for codes in _blocks(columns, shape, ROWS_AT_A_TIME):
        for part in (None,) if by is None else np.unique(candidates[:, by]):
            mine = slice(None) if part is None else np.flatnonzero(candidates[:, by] == part)
            rows = codes if part is None else codes[codes[:, by] == part]
            among = candidates[mine]
            chosen = nearest(rows[:, compared].T, among[:, compared].T, [points[i] for i in compared])
            votes[mine] += np.bincount(chosen, minlength=len(among))
    return votes


def _blocks(
    columns: Sequence[CodeColumn], shape: Sequence[int], at_a_time: int
) -> Iterator[NDArray[np.unsignedinteger[Any]]]:
    """Yield batches of the rows whose codes are all below `shape`. Shapes: unsigned[rows, columns]."""
    for start in range(0, len(columns[0]), at_a_time):
        codes = np.stack([column[start : start + at_a_time] for column in columns], axis=1)
        yield codes[(codes < np.asarray(shape)).all(axis=1)]
