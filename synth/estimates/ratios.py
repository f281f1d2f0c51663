"""Compute shares and means, which are ratios of two linear queries, and totals, which are linear queries.

For the ratio t = s / n, the error of s - t n is normal with the exact variance V(t) = v_ss - 2 t v_sn + t^2
v_nn. The interval contains all t with |s - t n| <= z sqrt(V(t)) (Fieller 1954). It is unbounded if n is not
certainly positive.

Values inside a bin are unknown. Therefore, the lower end of an interval uses the smallest value of every bin,
and the upper end uses the largest.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis, Grouping
from synth.core.errors import Mistake
from synth.core.schema import Kind
from synth.estimates.estimated import Estimated, Span, estimated
from synth.estimates.least_squares import Solution, System, Term, merged

Vector = NDArray[np.float64]
Ends = tuple[Vector, Vector, Vector]
"""The smallest and the largest value of each code, and 1 for codes with values (0 for other codes)."""


def ratio_of(
    system: System, above: Term, below: Term, *, level: float, sampling: float, squares: Term | None = None
) -> Estimated | None:
    """Return the ratio of two sums, or None if it is not estimable or its interval is unbounded.

    `squares` is the sum of squares of the values in the sum `above`. Without it, these values must be zero or
    one. The sampling variance is multiplied by `sampling`, the number of rows of a unit.
    """
    n, s = system.solve([below]), system.solve([above])
    if n is None or s is None or n.estimate <= 0:
        return None
    both, second = system.solve([above, below]), s if squares is None else system.solve([squares])
    if both is None or second is None:
        return None
    estimate, shared = s.estimate / n.estimate, (both.variance - s.variance - n.variance) / 2
    spread = max(0.0, second.estimate - s.estimate * estimate) * sampling
    spans = [_fieller(s, n, shared, extra, both.deviations(level)) for extra in (0.0, spread)]
    if spans[0] is None or spans[1] is None:
        return None
    noise = max(0.0, s.variance - 2 * estimate * shared + estimate**2 * n.variance)
    return Estimated(
        estimate=estimate,
        interval=spans[0],
        population=spans[1],
        noise=sqrt(noise) / n.estimate,
        sampling=sqrt(spread) / n.estimate,
        solution=both,
    )


def _fieller(s: Solution, n: Solution, shared: float, extra: float, z: float) -> Span | None:
    """Return the ends of the interval, after adding half of the largest weight as in `half_width`."""
    a = n.estimate**2 - z * z * n.variance
    b = s.estimate * n.estimate - z * z * shared
    c = s.estimate**2 - z * z * (s.variance + extra)
    if a <= 0:
        return None
    largest = s.largest + abs(s.estimate / n.estimate) * n.largest
    half = sqrt(max(0.0, b * b - a * c)) / a + largest / 2 / n.estimate
    return b / a - half, b / a + half


def values_of(axis: Axis, grouping: Grouping | None) -> Ends:
    """Return the values of the codes of the domain. Raises: `Mistake` if the column has no numbers."""
    low, high, has = np.zeros(axis.size), np.zeros(axis.size), np.zeros(axis.size)
    has[: axis.cells] = 1.0
    if axis.labels:
        if any(isinstance(label, str) for label in axis.labels):
            raise Mistake(
                f"{axis.name!r} has no numbers, so it has no mean or total. Ask for counts or shares."
            )
        low[: axis.cells] = high[: axis.cells] = [float(label) for label in axis.labels]
    else:
        is_whole = axis.column.kind is not Kind.DECIMAL
        low[: axis.cells], high[: axis.cells] = axis.edges[:-1], np.asarray(axis.edges[1:]) - is_whole
    if grouping is None:
        return low, high, has
    group_of = np.asarray(grouping.group_of)
    first = [int(np.argmax(group_of == group)) for group in range(grouping.size)]
    low, high = (_merged(group_of, vector, has, how) for vector, how in ((low, np.min), (high, np.max)))
    return low[first], high[first], has[first]


def in_groups(groups: NDArray[np.int64], ends: Ends) -> Ends | None:
    """Return the values of the group of each code, or None if a group has codes with and without values."""
    low, high, has = ends
    if not np.array_equal(has, merged(groups, has, min)):
        return None
    return _merged(groups, low, has, np.min), _merged(groups, high, has, np.max), has


def _merged(groups: NDArray[np.int64], vector: Vector, has: Vector, how: Any) -> Vector:
    """Return a vector in which the codes with values have one value per group, and other codes have zero."""
    empty = np.inf if how is np.min else -np.inf
    found = merged(groups, np.where(has > 0, vector, empty), how)
    return np.where(np.isfinite(found), found, 0.0)


def mean_of(
    system: System, name: str, ends: Ends, where: Term, *, level: float, sampling: float
) -> Estimated | None:
    """Return the mean of a column over the records of a product of conditions, or None as in `ratio_of`.

    It uses the finest groups of values that were measured together with the conditions.
    """
    for groups in system.resolutions:
        grouped = in_groups(groups[name], ends)
        found = None if grouped is None else _mean_of(system, name, grouped, where, level, sampling)
        if found is not None:
            low, high, has = ends
            return found.within(float(low[has > 0].min()), float(high[has > 0].max()))
    return None


def total_of(
    system: System, name: str, ends: Ends, where: Term, *, level: float, sampling: float, size: float
) -> Estimated | None:
    """Return the sum of a column over the records of a product of conditions, or None if it is not estimable.

    Values inside a bin are treated as in `mean_of`. `size` is the total number of records.
    """
    for groups in system.resolutions:
        grouped = in_groups(groups[name], ends)
        if grouped is None:
            continue
        low, high, has = grouped
        own, middle = where.get(name, np.ones_like(has)) * has, (low + high) / 2
        solved = [system.solve([{**where, name: own * v}]) for v in (middle, low, high, middle**2)]
        if (found := _total(solved, level, sampling, size)) is not None:
            return replace(found, values=middle)
    return None


def _total(solved: list[Solution | None], level: float, sampling: float, size: float) -> Estimated | None:
    """Return the sum from the solutions for the middles, the ends and the squares of the values."""
    sums = [one for one in solved if one is not None]
    if len(sums) < len(solved):
        return None
    spread = max(0.0, sums[3].estimate - sums[0].estimate ** 2 / size) * sampling
    middle, least, most = (estimated(one, level, sampling=spread) for one in sums[:3])
    return replace(
        middle,
        interval=(least.interval[0], most.interval[1]),
        population=(least.population[0], most.population[1]),
        bins=(most.estimate - least.estimate) / 2,
    )


def _mean_of(
    system: System, name: str, ends: Ends, where: Term, level: float, sampling: float
) -> Estimated | None:
    low, high, has = ends
    centre = float((low.sum() + high.sum()) / 2 / max(has.sum(), 1.0))  # sums of small numbers lose no digits
    own = where.get(name, np.ones_like(has)) * has

    def ratio(values: Vector) -> Estimated | None:
        above, below, squares = ({**where, name: own * (values - centre) ** power} for power in (1, 0, 2))
        return ratio_of(system, above, below, level=level, sampling=sampling, squares=squares)

    if (middle := ratio((low + high) / 2)) is None:
        return None
    least, most = (middle, middle) if np.array_equal(low, high) else (ratio(low), ratio(high))
    if least is None or most is None:
        return None
    return replace(
        middle,
        interval=(least.interval[0], most.interval[1]),
        population=(least.population[0], most.population[1]),
        bins=(most.estimate - least.estimate) / 2,
        values=(low + high) / 2,
    ).moved(centre)
