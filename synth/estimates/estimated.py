"""Define estimates, each with an interval for the private records and one for the population."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from synth.estimates.least_squares import Solution

Span = tuple[float, float]
"""The two ends of an interval."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimated:
    """An estimate with its two intervals and the least-squares solution from which it comes.

    For a mean, `values` is the middle of the bin of each code. Shapes: float64[codes].
    """

    estimate: float
    interval: Span
    population: Span
    noise: float = 0.0
    sampling: float = 0.0
    bins: float = 0.0
    solution: Solution
    values: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    @property
    def rests_on(self) -> dict[str, float]:
        """Return the measurements with their shares of the variance, largest first."""
        shares = dict[str, float]()
        for fact, share in self.solution.weights.items():
            shares[fact.name] = shares.get(fact.name, 0.0) + share
        return dict(sorted(shares.items(), key=lambda item: -item[1]))

    def within(self, low: float, high: float) -> Estimated:
        """Return the estimate and its intervals, limited to possible values.

        If an interval contains no possible value, it ends at its half-width from the limit.
        """
        spans = [limited(span, low, high) for span in (self.interval, self.population)]
        estimate = min(max(self.estimate, low), high)
        return replace(self, estimate=estimate, interval=spans[0], population=spans[1])

    def moved(self, by: float) -> Estimated:
        """Return the same estimate with a number added."""
        ends = [(span[0] + by, span[1] + by) for span in (self.interval, self.population)]
        return replace(self, estimate=self.estimate + by, interval=ends[0], population=ends[1])


def limited(span: Span, low: float, high: float) -> Span:
    """Return an interval limited to possible values.

    If it contains no possible value, it ends at its half-width from the limit.
    """
    half = (span[1] - span[0]) / 2
    if span[1] < low:
        return low, min(high, low + half)
    if span[0] > high:
        return max(low, high - half), high
    return max(low, span[0]), min(high, span[1])


def estimated(solution: Solution, level: float, *, sampling: float = 0.0, bins: float = 0.0) -> Estimated:
    """Return the estimate for a linear query. `sampling` is the variance due to sampling."""
    middle = solution.estimate
    halves = [half_width(solution, level, sampling=extra) + bins for extra in (0.0, sampling)]
    spans: Sequence[Span] = [(middle - half, middle + half) for half in halves]
    return Estimated(
        estimate=middle,
        interval=spans[0],
        population=spans[1],
        noise=sqrt(solution.variance),
        sampling=sqrt(sampling),
        bins=bins,
        solution=solution,
    )


def half_width(solution: Solution, level: float, *, sampling: float = 0.0) -> float:
    """Return the half-width of an interval. `sampling` is an additional variance.

    Noise is rounded to whole counts, so half of the largest weight of a count is added.
    """
    return solution.deviations(level) * sqrt(solution.variance + sampling) + solution.largest / 2
