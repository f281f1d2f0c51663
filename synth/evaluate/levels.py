"""The fidelity error of the benchmark and MargNet papers, on values instead of bins.

It is the mean over pairs of columns of 1/2 ||p - q||_1. A number becomes one of a hundred levels, round(99 (x
- lo) / (hi - lo)), where lo and hi are the smallest and largest number of both tables together. Therefore,
  the two outer levels are half as wide as the others, and the scale depends on the synthetic extremes, as in
  the papers. Texts are compared unchanged, and a blank cell is a level. The papers average over all pairs.
  Here, if there are more than 200 pairs, a fixed set of 200 is used. NOT PRIVATE when one of the tables is
  the real one.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

LEVELS = 100
PAIRS = 200


def fidelity_error(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    *,
    numeric: frozenset[str],
    limit: int = PAIRS,
) -> float:
    """Return the mean error over pairs, from 0 to 1. It is 0 for a single column.

    The tables must have the same columns, and can have any number of rows. Raises: ValueError for different
    columns, a table without rows, or values of a numeric column that cannot be read as numbers.
    """
    names = list(real.columns)
    if set(names) != set(synthetic.columns):
        raise ValueError("fidelity compares two tables with the same columns")
    levels = {n: _levels(real[n], synthetic[n], numeric=n in numeric) for n in names}
    if any(len(side) == 0 for _, *sides in levels.values() for side in sides):
        raise ValueError("fidelity compares two tables with rows")
    pairs = list(combinations(names, 2))
    if len(pairs) > limit:
        pairs = [pairs[i] for i in np.random.default_rng(0).choice(len(pairs), limit, replace=False)]
    return float(np.mean([_distance(levels[a], levels[b]) for a, b in pairs])) if pairs else 0.0


Levels = tuple[int, NDArray[np.int64], NDArray[np.int64]]
"""The number of levels of a column, and the level of each row in each of the two tables."""


def _levels(real: pd.Series, synthetic: pd.Series, *, numeric: bool) -> Levels:
    both = pd.concat([real, synthetic], ignore_index=True)
    if numeric:
        values = pd.to_numeric(both).to_numpy(dtype=np.float64, na_value=np.nan)
        blank = np.isnan(values)
        low, high = (np.nanmin(values), np.nanmax(values)) if not blank.all() else (0.0, 0.0)
        scale = (LEVELS - 1) / (high - low) if high > low else 0.0
        level = np.rint((np.where(blank, low, values) - low) * scale)
        levels, known = np.where(blank, LEVELS, level).astype(np.int64), LEVELS
    else:
        codes, texts = pd.factorize(both.astype("string"), use_na_sentinel=True)
        levels, known = np.where(codes < 0, len(texts), codes).astype(np.int64), len(texts)
    return known + 1, levels[: len(real)], levels[len(real) :]


def _distance(one: Levels, other: Levels) -> float:
    size = one[0] * other[0]
    real, synthetic = (
        np.bincount(a * other[0] + b, minlength=size) / len(a)
        for a, b in zip(one[1:], other[1:], strict=True)
    )
    return float(0.5 * np.abs(real - synthetic).sum())
