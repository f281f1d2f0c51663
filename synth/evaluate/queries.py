"""The errors of random queries on the synthetic table. NOT PRIVATE.

There are three families of queries. Each query has three distinct columns:

  conjunction  a random interval of codes for an ordered column, or a value from a random real row for any
               other column. Because of a wrong indentation, the code of the benchmark's "3-way query error"
               averages the 1-, 2- and 3-column prefixes of such a query. Here, it is the true 3-column query.
  counting     a box with random lower and upper ends in each column. A side is kept if it contains 5% to 95%
  of
               the real rows (PrivPGD, section 5).
  threshold    the proportion of rows with <theta, x> > tau, where theta is a random direction in three
               columns scaled to [0, 1], and tau is uniform between the smallest and the largest possible
               value (same paper).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.core.table import CodeTable

TRIES = 200
"""Maximum number of draws of one side of a box. If no draw is suitable, the query is dropped."""


@dataclass(frozen=True, kw_only=True)
class QueryErrors:
    """NOT PRIVATE. Mean absolute differences of proportions (0..1) over `queries` random queries per family.

    A family is None if the table has no suitable columns.
    """

    queries: int
    conjunction: float | None
    counting: float | None
    threshold: float | None


Query = Callable[[CodeTable], float]
"""A function that returns the result of a query on a table: a proportion of its rows, 0 for a table without
rows.
"""


def query_errors(
    real: CodeTable,
    synthetic: CodeTable,
    *,
    ordered: frozenset[str],
    queries: int = 1000,
    seed: int = 0,
) -> QueryErrors:
    """Return the errors of all three families.

    `ordered` has the names of the columns whose codes are in order. The last code of every column is its
    missing code, which intervals and directions treat like any other code.
    """
    rng = np.random.default_rng(seed)
    width = min(3, len(real.domain))
    columns = np.array([rng.choice(len(real.domain), width, replace=False) for _ in range(queries)])
    means = []
    for family in (_conjunction, _counting, _threshold):
        drawn = (family(real, axes, ordered, rng) for axes in columns)
        errors = [abs(query(real) - query(synthetic)) for query in drawn if query is not None]
        means.append(float(np.mean(errors)) if errors else None)
    return QueryErrors(queries=queries, conjunction=means[0], counting=means[1], threshold=means[2])


def _conjunction(
    real: CodeTable, axes: NDArray[np.int64], ordered: frozenset[str], rng: np.random.Generator
) -> Query:
    ends = []
    for axis in axes:
        if real.domain.names[axis] in ordered:
            low, high = np.sort(rng.integers(0, real.domain.sizes[axis], 2))
        else:
            low = high = real.codes[rng.integers(real.rows), axis]
        ends.append((int(low), int(high)))
    return _box(axes, ends)


def _counting(
    real: CodeTable, axes: NDArray[np.int64], ordered: frozenset[str], rng: np.random.Generator
) -> Query | None:
    ends = []
    for axis in axes:
        size = real.domain.sizes[axis]
        counts = np.bincount(real.codes[:, axis].astype(np.int64), minlength=size)
        for _ in range(TRIES):
            low = int(rng.integers(0, size))
            high = int(rng.integers(low, size))
            if 0.05 <= counts[low : high + 1].sum() / real.rows <= 0.95:
                ends.append((low, high))
                break
        else:
            return None
    return _box(axes, ends)


def _box(axes: NDArray[np.int64], ends: list[tuple[int, int]]) -> Query:
    """Return the proportion of rows whose codes in every column are between two ends, including both ends."""

    def share(table: CodeTable) -> float:
        inside = np.ones(table.rows, dtype=np.bool_)
        for axis, (low, high) in zip(axes, ends, strict=True):
            inside &= (table.codes[:, axis] >= low) & (table.codes[:, axis] <= high)
        return _mean(inside)

    return share


def _threshold(
    real: CodeTable, axes: NDArray[np.int64], ordered: frozenset[str], rng: np.random.Generator
) -> Query:
    sizes = np.maximum(np.array([real.domain.sizes[axis] for axis in axes]) - 1, 1)
    theta = rng.normal(size=len(axes))
    theta /= np.linalg.norm(theta)
    tau = rng.uniform(np.minimum(theta, 0.0).sum(), np.maximum(theta, 0.0).sum())
    return lambda table: _mean(table.codes[:, axes] / sizes @ theta > tau)


def _mean(inside: NDArray[np.bool_]) -> float:
    return float(inside.mean()) if len(inside) else 0.0
