"""Quantiles by inverting the noisy distribution function.

F_j is the number of records below edge j of the bins, n all records. The p-quantile is in a bin unless F at
its lower edge is at least p n, or F at its upper edge is less. A bin is excluded if the noise cannot explain
one of the two. The true bin is excluded with at most the probability of one interval that does not hold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.analyst.answers import Span
from synth.analyst.least_squares import Solution, System, Term
from synth.analyst.measured import half_width
from synth.analyst.ratios import Vector, in_groups


@dataclass(frozen=True, eq=False, kw_only=True)
class Quantile:
    """A quantile with intervals that end at edges of bins."""

    estimate: float
    interval: Span
    population: Span
    solution: Solution


def quantile_of(
    system: System,
    name: str,
    ends: tuple[Vector, Vector, Vector],
    where: Term,
    at: float,
    *,
    level: float,
    sampling: float,
) -> Quantile | None:
    """Return a quantile of a column in order, or None if its bins are not estimable.

    It rests on the finest groups of values that are measured together with the conditions.
    """
    for groups in system.resolutions:
        grouped = in_groups(groups[name], ends)
        if grouped is not None:
            found = _quantile_of(system, name, groups[name], grouped, where, at, level, sampling)
            if found is not None:
                return found
    return None


def _quantile_of(
    system: System,
    name: str,
    groups: NDArray[np.int64],
    ends: tuple[Vector, Vector, Vector],
    where: Term,
    at: float,
    level: float,
    sampling: float,
) -> Quantile | None:
    low, high, has = ends
    own = where.get(name, np.ones_like(has)) * has
    count = system.solve([{**where, name: own}])
    if count is None or count.estimate <= 0:
        return None
    starts = [code for code in np.flatnonzero(has)[1:] if groups[code] not in groups[:code]]
    codes, tests = np.arange(len(has)), [_Test(-np.inf, None, 0.0, 0.0)]
    for start in starts:
        found = system.solve([{**where, name: own * ((codes < start) - at)}])
        if found is None:
            return None
        spread = count.estimate * at * (1 - at) * sampling
        widths = half_width(found, level), half_width(found, level, sampling=spread)
        tests.append(_Test(found.estimate, found, *widths))
    tests.append(_Test(np.inf, None, 0.0, 0.0))
    firsts = [int(np.flatnonzero(has)[0]), *map(int, starts)]
    lasts = [*(int(start) - 1 for start in starts), int(np.flatnonzero(has)[-1])]
    spans = []
    for index in (0, 1):
        kept = [
            cell
            for cell in range(len(firsts))
            if tests[cell].gap <= tests[cell].width(index)
            and tests[cell + 1].gap >= -tests[cell + 1].width(index)
        ] or list(range(len(firsts)))
        spans.append((float(low[firsts[kept[0]]]), float(high[lasts[kept[-1]]])))
    cell = next(i for i in range(len(firsts)) if tests[i + 1].gap >= 0)
    middle = float(low[firsts[cell]] + high[lasts[cell]]) / 2
    near = min((t for t in tests if t.found is not None), key=lambda t: abs(t.gap), default=None)
    return Quantile(
        estimate=middle,
        interval=spans[0],
        population=spans[1],
        solution=count if near is None or near.found is None else near.found,
    )


@dataclass(frozen=True, eq=False)
class _Test:
    """How far the number of records below an edge is from p n, with the half-widths of its interval."""

    gap: float
    found: Solution | None
    finite: float
    population: float

    def width(self, index: int) -> float:
        return (self.finite, self.population)[index]
