"""The query error of the benchmark and MargNet papers, computed as in their code. NOT PRIVATE.

Each query has three random columns. A number must be between two points drawn uniformly from the range of the
real numbers. Any other value must equal a value drawn uniformly from the values in the real table. The papers
describe 3-way queries, but because of a wrong indentation, their code averages over the first column of a
query, the first two, and all three. The figures in the papers are this mean. `evaluate.queries` has the
queries as described.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

QUERIES, WIDTH = 1000, 3


def prefix_errors(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    *,
    numeric: frozenset[str],
    queries: int = QUERIES,
    seed: int = 0,
) -> tuple[float, ...]:
    """Return mean absolute differences of proportions, for one, two and three columns of the same queries.

    A table with fewer columns has fewer results. The tables must have the same columns, and can have any
    number of rows. Raises: ValueError for different columns, a table without rows, or values of a numeric
    column that cannot be read as numbers.
    """
    names = list(real.columns)
    if set(names) != set(synthetic.columns) or min(len(real), len(synthetic)) == 0:
        raise ValueError("query errors compare two tables with rows and the same columns")
    rng = np.random.default_rng(seed)
    sides = {name: _sides(real[name], synthetic[name], numeric=name in numeric) for name in names}
    width = min(WIDTH, len(names))
    errors = np.empty((queries, width))
    for error in errors:
        inside = [np.ones(len(side), dtype=np.bool_) for side in (real, synthetic)]
        for place, i in enumerate(rng.choice(len(names), width, replace=False)):
            ours, theirs = sides[names[i]]
            low, high = _requested(ours, rng, numeric=names[i] in numeric)
            inside = [
                held & (values >= low) & (values <= high)
                for held, values in zip(inside, (ours, theirs), strict=True)
            ]
            error[place] = abs(inside[0].mean() - inside[1].mean())
    return tuple(map(float, errors.mean(axis=0)))


def _requested(
    values: NDArray[np.float64], rng: np.random.Generator, *, numeric: bool
) -> tuple[np.float64, np.float64]:
    if numeric:
        low, high = np.sort(rng.uniform(np.nanmin(values), np.nanmax(values), 2))
        return low, high
    one = rng.choice(np.unique(values))
    return one, one


def _sides(
    real: pd.Series, synthetic: pd.Series, *, numeric: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both columns as numbers. Texts become the numbers of their distinct values, and a blank cell
    becomes -1.
    """
    both = pd.concat([real, synthetic], ignore_index=True)
    if numeric:
        values = pd.to_numeric(both).to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        values = pd.factorize(both.astype("string"), use_na_sentinel=True)[0].astype(np.float64)
    return values[: len(real)], values[len(real) :]
