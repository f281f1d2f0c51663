"""Estimate the number of records from noisy tables."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from synth.core.measurements.noisy import Measurement


def estimate_total(measurements: Iterable[Measurement]) -> float:
    """Return the minimum-variance unbiased combination of the totals of the tables, but at least 1.

    The cells of a table sum to the total plus noise of variance n sigma^2, where n is its number of cells.
    The totals are weighted by the inverse variance (Private-PGM). They are computed in fractions, so that
    their order has no effect.

    Raises: ValueError without a measurement.
    """
    weight, weighted = Fraction(0), Fraction(0)
    for m in measurements:
        precision = 1 / (m.variance * m.counts.size)
        weight += precision
        weighted += precision * int(m.counts.sum())
    if weight == 0:
        raise ValueError("a total cannot be estimated without measurements")
    return max(1.0, float(weighted / weight))
