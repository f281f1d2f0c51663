"""The number of records, estimated from noisy tables."""

import numpy as np
import pytest

from synth.core.measurements.noisy import Measurement
from synth.models.estimates.total import estimate_total
from tests.models.examples import measurement


def measured(counts: list[int], variance: int) -> Measurement:
    return measurement(("a",), counts, variance)


def test_totals_are_weighted_by_the_inverse_of_their_variance() -> None:
    small = measured([60, 50], 8)  # total 110, variance 16
    large = measured([30, 30, 20, 10], 1)  # total 90, variance 4
    assert estimate_total([small, large]) == pytest.approx((110 / 16 + 90 / 4) / (1 / 16 + 1 / 4))
    assert estimate_total([small, large]) == estimate_total([large, small])


def test_the_estimate_has_the_variance_it_promises() -> None:
    rng = np.random.default_rng(2)
    sigmas, sizes = (3.0, 11.0, 5.0), (4, 2, 9)
    promised = 1 / sum(1 / (n * s**2) for n, s in zip(sizes, sigmas, strict=True))
    estimates = [
        estimate_total(
            measured(np.rint(1000 / n + rng.normal(0, s, n)).astype(int).tolist(), int(s**2))
            for n, s in zip(sizes, sigmas, strict=True)
        )
        for _ in range(2000)
    ]
    # the sample variance of 2000 normals has relative deviation sqrt(2/2000) = 3.2%; six of them
    assert np.var(estimates) == pytest.approx(promised, rel=0.2)
    assert np.mean(estimates) == pytest.approx(1000, abs=6 * np.sqrt(promised / 2000) + 1)


def test_there_is_always_at_least_one_record() -> None:
    assert estimate_total([measured([-40, 3], 100)]) == 1.0
    with pytest.raises(ValueError, match="without measurements"):
        estimate_total([])
