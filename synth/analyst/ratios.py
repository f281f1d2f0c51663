"""Shares and means: ratios of two linear queries.

For the ratio t of s and n, the error of s - t n is normal with the variance V(t) = v_ss - 2 t v_sn + t^2
v_nn, which is exact. The interval has all t with |s - t n| <= z sqrt(V(t)) (Fieller 1954). It has no ends if
n is not certainly positive.

Values inside a bin are not known. Then the lower end belongs to the least value of every bin, the upper end
to the largest.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from synth.analyst.answers import Span
from synth.analyst.least_squares import Solution, System, Term, merged
from synth.core.axis import Axis, Grouping
from synth.core.errors import Mistake
from synth.core.schema import Kind

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Ratio:
    """A ratio with intervals at one level; `noise` and `sampling` are standard deviations."""

    estimate: float
    interval: Span
    population: Span
    noise: float
    sampling: float
    solution: Solution


def ratio_of(
    system: System, above: Term, below: Term, *, level: float, sampling: float, squares: Term | None = None
) -> Ratio | None:
    """Return the ratio of two sums, or None if it is not estimable or its interval has no ends.

    `squares` is the sum of squares of what `above` sums. Without it, what is summed is zero or one.
    `sampling` is the factor of the variance due to sampling: the number of rows of a unit.
    """
    n, s = system.solve([below]), system.solve([above])
    if n is None or s is None or n.estimate <= 0:
        return None
    both = system.solve([above, below])
    second = s if squares is None else system.solve([squares])
    if both is None or second is None:
        return None
    estimate, z = s.estimate / n.estimate, both.deviations(level)
    shared = (both.variance - s.variance - n.variance) / 2
    spread = max(0.0, second.estimate - s.estimate * estimate) * sampling
    spans = [_fieller(s, n, shared, extra, z) for extra in (0.0, spread)]
    if spans[0] is None or spans[1] is None:
        return None
    noise = max(0.0, s.variance - 2 * estimate * shared + estimate**2 * n.variance)
    return Ratio(
        estimate=estimate,
        interval=spans[0],
        population=spans[1],
        noise=sqrt(noise) / n.estimate,
        sampling=sqrt(spread) / n.estimate,
        solution=both,
    )


def _fieller(s: Solution, n: Solution, shared: float, extra: float, z: float) -> Span | None:
    """Return the ends of the interval. Half of the largest weight is added, as in `half_width`."""
    a = n.estimate**2 - z * z * n.variance
    b = s.estimate * n.estimate - z * z * shared
    c = s.estimate**2 - z * z * (s.variance + extra)
    root = b * b - a * c
    if a <= 0:
        return None
    largest = s.largest + abs(s.estimate / n.estimate) * n.largest
    half = sqrt(max(0.0, root)) / a + largest / 2 / n.estimate
    return b / a - half, b / a + half


def values_of(axis: Axis, grouping: Grouping | None) -> tuple[Vector, Vector, Vector]:
    """Return the least and largest value of each code, and which codes have values.

    Shapes: float64[codes of the domain], three times. Raises: `Mistake` if the column has no numbers.
    """
    low, high, has = np.zeros(axis.size), np.zeros(axis.size), np.zeros(axis.size)
    has[: axis.cells] = 1.0
    if axis.labels:
        if any(isinstance(label, str) for label in axis.labels):
            raise Mistake(f"{axis.name!r} has no numbers, so it has no mean. Ask for counts or shares.")
        low[: axis.cells] = high[: axis.cells] = [float(label) for label in axis.labels]
    else:
        is_whole = axis.column.kind is not Kind.DECIMAL
        low[: axis.cells], high[: axis.cells] = axis.edges[:-1], np.asarray(axis.edges[1:]) - is_whole
    if grouping is None:
        return low, high, has
    group_of = np.asarray(grouping.group_of)
    members = [(group_of == group) & (has > 0) for group in range(grouping.size)]
    ends = [(low[m].min(), high[m].max(), 1.0) if m.any() else (0.0, 0.0, 0.0) for m in members]
    return tuple(np.array(column) for column in zip(*ends, strict=True))  # type: ignore[return-value]


@dataclass(frozen=True, eq=False, kw_only=True)
class Mean:
    """A mean with intervals. `bins` is half of the difference that the values inside bins can make, `values`
    the middle of the bin of each code.
    """

    middle: Ratio
    interval: Span
    population: Span
    bins: float
    values: Vector


def mean_of(
    system: System,
    name: str,
    ends: tuple[Vector, Vector, Vector],
    where: Term,
    *,
    level: float,
    sampling: float,
) -> Mean | None:
    """Return the mean of a column over the records of a product of conditions, or None as `ratio_of`.

    It rests on the finest groups of values that are measured together with the conditions.
    """
    for groups in system.resolutions:
        grouped = in_groups(groups[name], ends)
        found = None if grouped is None else _mean_of(system, name, grouped, where, level, sampling)
        if found is not None:
            return found
    return None


def in_groups(
    groups: NDArray[np.int64], ends: tuple[Vector, Vector, Vector]
) -> tuple[Vector, Vector, Vector] | None:
    """Return the least and largest value of each group of codes, for each code, and which have values.

    None if a group has codes with and without values.
    """
    low, high, has = ends
    if not np.array_equal(has, merged(groups, has, min)):
        return None
    low = merged(groups, np.where(has > 0, low, np.inf), min)
    high = merged(groups, np.where(has > 0, high, -np.inf), max)
    return np.where(has > 0, low, 0.0), np.where(has > 0, high, 0.0), has


def _mean_of(
    system: System,
    name: str,
    ends: tuple[Vector, Vector, Vector],
    where: Term,
    level: float,
    sampling: float,
) -> Mean | None:
    low, high, has = ends
    centre = float((low.sum() + high.sum()) / 2 / max(has.sum(), 1.0))  # sums of small numbers lose no digits
    own = where.get(name, np.ones_like(has)) * has

    def ratio(values: Vector) -> Ratio | None:
        moved = (values - centre) * has
        above, below = {**where, name: own * moved}, {**where, name: own}
        squares = {**where, name: own * moved**2}
        return ratio_of(system, above, below, level=level, sampling=sampling, squares=squares)

    middle, least, most = (ratio(values) for values in ((low + high) / 2, low, high))
    if middle is None or least is None or most is None:
        return None
    return Mean(
        middle=_moved(middle, centre),
        interval=(least.interval[0] + centre, most.interval[1] + centre),
        population=(least.population[0] + centre, most.population[1] + centre),
        bins=(most.estimate - least.estimate) / 2,
        values=(low + high) / 2,
    )


def _moved(ratio: Ratio, by: float) -> Ratio:
    ends = [(span[0] + by, span[1] + by) for span in (ratio.interval, ratio.population)]
    return Ratio(
        estimate=ratio.estimate + by,
        interval=ends[0],
        population=ends[1],
        noise=ratio.noise,
        sampling=ratio.sampling,
        solution=ratio.solution,
    )
