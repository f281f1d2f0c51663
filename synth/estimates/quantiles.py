"""Compute quantiles by inverting the noisy distribution function.

F_j is the number of records below edge j of the bins, and n is the total number of records. The p-quantile is
in a bin unless F >= p n at its lower edge or F < p n at its upper edge. A bin is excluded if one of these two
cases is true beyond the noise. The probability that the true bin is excluded is at most the probability that
one interval does not hold.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synth.estimates.estimated import Estimated, Span, half_width
from synth.estimates.least_squares import System, Term
from synth.estimates.ratios import Ends, in_groups


def quantile_of(
    system: System, name: str, ends: Ends, where: Term, at: float, *, level: float, sampling: float
) -> Estimated | None:
    """Return a quantile of an ordered column, or None if the counts of its bins are not estimable.

    It uses the finest groups of values that were measured together with the conditions. The interval ends at
    edges of bins.
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
    ends: Ends,
    where: Term,
    at: float,
    level: float,
    sampling: float,
) -> Estimated | None:
    low, high, has = ends
    own = where.get(name, np.ones_like(has)) * has
    count = system.solve([{**where, name: own}])
    if count is None or count.estimate <= 0:
        return None
    codes = np.flatnonzero(has)
    starts = [int(code) for code in codes if groups[code] not in groups[:code]]
    bins = [(float(low[start]), float(high[start])) for start in starts]
    gaps, halves = [-np.inf], ([0.0], [0.0])
    for start in starts[1:]:
        found = system.solve([{**where, name: own * ((np.arange(len(has)) < start) - at)}])
        if found is None:
            return None
        gaps.append(found.estimate)
        for half, extra in zip(halves, (0.0, count.estimate * at * (1 - at) * sampling), strict=True):
            half.append(half_width(found, level, sampling=extra))
    gaps.append(np.inf)
    spans = [_span(bins, np.array(gaps), np.array([*half, 0.0])) for half in halves]
    middle = bins[int(np.argmax(np.array(gaps[1:]) >= 0))]
    return Estimated(estimate=sum(middle) / 2, interval=spans[0], population=spans[1], solution=count)


def _span(bins: list[Span], gaps: NDArray[np.float64], halves: NDArray[np.float64]) -> Span:
    """Return the values from the first to the last bin that is not excluded.

    If every bin is excluded, return the values of all bins.

    `gaps` has F - p n at the edges, and `halves` contains the half-widths of the intervals of `gaps`.
    """
    kept = np.flatnonzero((gaps[:-1] <= halves[:-1]) & (gaps[1:] >= -halves[1:]))
    first, last = (kept[0], kept[-1]) if len(kept) else (0, -1)
    return bins[first][0], bins[last][1]
