"""Correct records so that the counts of every column match those of a model to within one record.

A tree draws its cliques one after another, and each clique matches the records drawn before to within one
record. In a column that is drawn late, these rounding errors add up to a few records in 10,000, which exceeds
the noise of a large budget. Swaps of values cannot correct this, because they leave every column unchanged.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import smallest_dtype

Codes = NDArray[np.int64]


def with_counts(
    codes: Codes,
    columns: Mapping[str, NDArray[np.float64]],
    rng: np.random.Generator,
    *,
    kept: Collection[str] = (),
) -> Codes:
    """Return the records after correcting the counts of every column except those in `kept`.

    Records are selected at random from codes with too many records, and get codes with too few, in order, so
    that ordered values change little. Shapes: int64[rows, len(columns)]. `columns` is in the order of the
    codes' columns, each float64[number of codes], in counts of any total.
    """
    rows, changed = len(codes), codes.copy()
    for i, (name, counts) in enumerate(columns.items()):
        if name in kept:
            continue
        below = np.floor(np.cumsum(counts) * (rows / counts.sum()) + 0.5).astype(np.int64)
        below[-1] = rows
        short = codes[:, i].astype(smallest_dtype(len(counts)))  # much faster to sort
        have = np.bincount(short, minlength=len(counts))
        surplus = have - np.diff(below, prepend=0)
        if not surplus.any():
            continue
        order, firsts = np.argsort(short, kind="stable"), np.cumsum(have) - have
        leave = [
            order[firsts[c] + rng.choice(have[c], surplus[c], replace=False)]
            for c in np.flatnonzero(surplus > 0)
        ]
        changed[np.concatenate(leave), i] = np.repeat(np.arange(len(counts)), np.maximum(-surplus, 0))
    return changed
