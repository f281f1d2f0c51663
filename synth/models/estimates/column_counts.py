"""Records with the counts of every column that a model expects, to within one.

A tree draws clique after clique, each to within a record of what the last one left: on a column that is drawn
late the roundings add up, to a few records in ten thousand, which is more than the noise of a large budget.
Swaps of values cannot mend it, for they leave every column as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]


def with_counts(
    codes: Codes,
    columns: Mapping[str, NDArray[np.float64]],
    rng: np.random.Generator,
    *,
    kept: Collection[str] = (),
) -> Codes:
    """The records with rounded counts of every column but those `kept`: random records of codes that are too
    many get, in order, those that are too few, which keeps neighbours near.

    Shapes: int64[rows, len(columns)]; `columns` in the order of the codes' columns, each float64[its codes],
    in counts of any total.
    """
    rows, changed = len(codes), codes.copy()
    for i, (name, counts) in enumerate(columns.items()):
        if name in kept:
            continue
        below = np.floor(np.cumsum(counts) * (rows / counts.sum()) + 0.5).astype(np.int64)
        below[-1] = rows
        have = np.bincount(codes[:, i], minlength=len(counts))
        surplus = have - np.diff(below, prepend=0)
        if not surplus.any():
            continue
        order = rng.permutation(rows)
        order = order[np.argsort(codes[order, i], kind="stable")]
        firsts = np.cumsum(have) - have
        leave = [order[firsts[c] : firsts[c] + surplus[c]] for c in np.flatnonzero(surplus > 0)]
        changed[np.concatenate(leave), i] = np.repeat(np.arange(len(counts)), np.maximum(-surplus, 0))
    return changed
