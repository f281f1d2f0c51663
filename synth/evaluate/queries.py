"""Errors of random queries, real against synthetic. NOT PRIVATE.

Three families, each over three distinct columns per query:
  conjunction  an ordered column gives a random interval of codes, any other one a value taken from a random
               real row. The benchmark's "3-way query error" averages the 1-, 2- and 3-column prefixes of such
               a query by a slip of indentation; here it is the true 3-column query.
  counting     a box with random lower and upper ends per column, kept if 5 % to 95 % of the real rows lie
               inside each side (PrivPGD, section 5).
  threshold    the share of rows with <theta, x> > tau, theta a random direction in three columns scaled to
               [0, 1], tau uniform between the least and the largest possible value (same paper).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.table import CodeTable

TRIES = 200


@dataclass(frozen=True, kw_only=True)
class QueryErrors:
    """NOT PRIVATE. Mean absolute differences of shares (0..1) over `queries` random queries per family; None
    where the table has no column the family could use."""

    queries: int
    conjunction: float | None
    counting: float | None
    threshold: float | None


def query_errors(
    real: CodeTable,
    synthetic: CodeTable,
    *,
    ordered: frozenset[str],
    queries: int = 1000,
    seed: int = 0,
) -> QueryErrors:
    """All three families. `ordered` names the columns whose codes are in order; the last code of every column
    is its missing code, which interval and direction treat as any other."""
    rng = np.random.default_rng(seed)
    width = min(3, len(real.domain))
    columns = np.array([rng.choice(len(real.domain), width, replace=False) for _ in range(queries)])
    families = (_conjunction, _counting, _threshold)
    means = []
    for family in families:
        errors = [family(real, synthetic, axes, ordered, rng) for axes in columns]
        kept = [e for e in errors if e is not None]
        means.append(float(np.mean(kept)) if kept else None)
    return QueryErrors(queries=queries, conjunction=means[0], counting=means[1], threshold=means[2])


def _share(table: CodeTable, axes: NDArray[np.int64], sides: list[NDArray[np.bool_]]) -> float:
    """The share of rows whose code is marked in every side. Shapes: `sides[i]: bool[size of axes[i]]`."""
    inside = np.ones(table.rows, dtype=np.bool_)
    for axis, side in zip(axes, sides, strict=True):
        inside &= side[table.codes[:, axis]]
    return float(inside.mean()) if table.rows else 0.0


def _interval(size: int, low: int, high: int) -> NDArray[np.bool_]:
    codes = np.arange(size)
    return (codes >= low) & (codes <= high)


def _conjunction(
    real: CodeTable,
    synthetic: CodeTable,
    axes: NDArray[np.int64],
    ordered: frozenset[str],
    rng: np.random.Generator,
) -> float | None:
    sides = []
    for axis in axes:
        size = real.domain.sizes[axis]
        if real.domain.names[axis] in ordered:
            low, high = np.sort(rng.integers(0, size, 2))
        else:
            low = high = int(real.codes[rng.integers(real.rows), axis])
        sides.append(_interval(size, int(low), int(high)))
    return abs(_share(real, axes, sides) - _share(synthetic, axes, sides))


def _counting(
    real: CodeTable,
    synthetic: CodeTable,
    axes: NDArray[np.int64],
    ordered: frozenset[str],
    rng: np.random.Generator,
) -> float | None:
    sides = []
    for axis in axes:
        size = real.domain.sizes[axis]
        counts = np.bincount(real.codes[:, axis].astype(np.int64), minlength=size)
        for _ in range(TRIES):
            low = int(rng.integers(0, size))
            high = int(rng.integers(low, size))
            if 0.05 <= counts[low : high + 1].sum() / real.rows <= 0.95:
                sides.append(_interval(size, low, high))
                break
        else:
            return None
    return abs(_share(real, axes, sides) - _share(synthetic, axes, sides))


def _threshold(
    real: CodeTable,
    synthetic: CodeTable,
    axes: NDArray[np.int64],
    ordered: frozenset[str],
    rng: np.random.Generator,
) -> float | None:
    sizes = np.maximum(np.array([real.domain.sizes[axis] for axis in axes]) - 1, 1)
    theta = rng.normal(size=len(axes))
    theta /= np.linalg.norm(theta)
    tau = rng.uniform(np.minimum(theta, 0.0).sum(), np.maximum(theta, 0.0).sum())
    shares = [
        float((table.codes[:, axes] / sizes @ theta > tau).mean()) if table.rows else 0.0
        for table in (real, synthetic)
    ]
    return abs(shares[0] - shares[1])
