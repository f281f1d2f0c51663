"""How many records there are, from noisy tables."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from synth.core.measurements.noisy import Measurement


def estimate_total(measurements: Iterable[Measurement]) -> float:
    """Minimum-variance unbiased combination of the tables' own totals, at least 1.

    A table's cells sum to the total plus noise of variance n sigma^2, n its number of cells; the totals are
    weighted by the inverse (Private-PGM; computed in fractions, so the order does not matter).
    ValueError without a measurement.
    """
    weight, weighted = Fraction(0), Fraction(0)
    for m in measurements:
        precision = 1 / (m.variance * m.counts.size)
        weight += precision
        weighted += precision * int(m.counts.sum())
    if weight == 0:
        raise ValueError("a total cannot be estimated without measurements")
    return max(1.0, float(weighted / weight))
