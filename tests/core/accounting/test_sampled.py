"""Test costs of sampled Gaussians against dp-accounting, against many digits, and at every order in
between.
"""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.accounting import SAMPLED, limit_for, units_of
from synth.core.accounting.guarantee import SET_ASIDE, rho_of
from synth.core.accounting.sampled import (
    LEAST_DELTA,
    PARTS,
    SMALLEST_PART,
    _log_moment,
    order_for,
    sampled_rho,
    sampled_sigma,
)

SETTINGS = [(0.5, 0.01), (1.0, 0.05), (4.0, 0.04), (3.0, 0.5), (20.0, 1.0)]


@pytest.mark.parametrize(("sigma", "rate"), SETTINGS)
def test_a_moment_is_that_of_dp_accounting_at_whole_orders(sigma: float, rate: float) -> None:
    from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent
    from dp_accounting.rdp import RdpAccountant

    orders = [2, 3, 5, 8, 16]
    theirs = RdpAccountant(orders)
    theirs.compose(PoissonSampledDpEvent(rate, GaussianDpEvent(sigma)))
    for order, divergence in zip(orders, theirs._rdp, strict=True):
        assert _log_moment(order, sigma, rate, 1) == pytest.approx((order - 1) * divergence, rel=1e-11)


@pytest.mark.parametrize(
    ("sigma", "rate", "order", "rows"),
    [
        (0.5, 0.01, 1.5, 1),
        (1.0, 0.05, 4.3, 1),
        *(
            pytest.param(*setting, order, rows, marks=pytest.mark.long)
            for setting in SETTINGS[:3]
            for order in (1.02, 4.3)
            for rows in (1, 3)
        ),
        (0.5, 0.01, 1.02, 3),
    ],
)
def test_a_moment_is_the_integral_in_many_digits(sigma: float, rate: float, order: float, rows: int) -> None:
    with mpmath.workdps(30):
        s, q = mpmath.mpf(sigma), mpmath.mpf(rate)
        chances = [mpmath.binomial(rows, j) * q**j * (1 - q) ** (rows - j) for j in range(rows + 1)]

        def mean(power: mpmath.mpf) -> mpmath.mpf:
            def at(z: mpmath.mpf) -> mpmath.mpf:
                ratio = sum(p * mpmath.exp((2 * j * z - j * j) / (2 * s * s)) for j, p in enumerate(chances))
                return mpmath.npdf(z, 0, s) * ratio**power

            return mpmath.quad(at, mpmath.linspace(-15 * s, 15 * s + rows * order, 60))

        exact = max(mpmath.log(mean(mpmath.mpf(order))), mpmath.log(mean(1 - mpmath.mpf(order))))
    assert _log_moment(order, sigma, rate, rows) == pytest.approx(float(exact), rel=1e-9)


@settings(max_examples=12, deadline=None)
@given(
    sigma=st.floats(0.4, 30),
    rate=st.integers(40, PARTS),
    rows=st.integers(1, 3),
    most=st.floats(1.1, 60),
    at=st.floats(0.0, 1.0),
)
def test_a_price_holds_at_every_order(sigma: float, rate: int, rows: int, most: float, at: float) -> None:
    price = sampled_rho(sigma, rate=rate, rows=rows, most=most)
    order = 1 + (most - 1) * (0.001 + 0.999 * at)
    assert _log_moment(order, sigma, rate / PARTS, rows) <= order * (order - 1) * price or math.isinf(price)


@pytest.mark.parametrize(("rows", "most"), [(2, 12.0)])
def test_the_noise_is_what_the_price_buys(rows: int, most: float) -> None:
    sigma = sampled_sigma(1e-4, rate=3000, rows=rows, most=most)
    assert sampled_rho(sigma, rate=3000, rows=rows, most=most) <= 1e-4
    assert sampled_rho(sigma * (1 - 1e-6), rate=3000, rows=rows, most=most) > 1e-4
    assert sampled_sigma(1e-4, rate=3000, rows=rows, most=2 * most) >= sigma


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-5), (5.0, 1e-5), (0.5, 1e-9)])
def test_a_training_keeps_its_promise_by_the_privacy_loss_distribution(epsilon: float, delta: float) -> None:
    """Its noise by ours, its epsilon by dp-accounting: below the promise, and not by much."""
    from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent, SelfComposedDpEvent
    from dp_accounting.pld import PLDAccountant

    steps, rate = 200, round(0.04 * PARTS)
    rho = rho_of(limit_for(epsilon, delta).under(SAMPLED))
    sigma = sampled_sigma(rho / steps, rate=rate, rows=1, most=order_for(rho))
    accountant = PLDAccountant(value_discretization_interval=1e-3)
    event = PoissonSampledDpEvent(rate / PARTS, GaussianDpEvent(sigma))
    accountant.compose(SelfComposedDpEvent(event, steps))
    assert 0.5 * epsilon < accountant.get_epsilon(delta) <= epsilon


@settings(max_examples=50, deadline=None)
@given(rho=st.floats(1e-6, 20), more=st.floats(1.0, 100), share=st.floats(SET_ASIDE, 1.0))
def test_no_conversion_of_a_larger_sum_looks_at_a_higher_order(rho: float, more: float, share: float) -> None:
    """The smallest epsilon of larger sums and deltas, over all orders, is found at one that the price
    covers."""
    delta, larger = LEAST_DELTA * share, rho * more

    def epsilon(order: float) -> float:
        return order * larger + math.log1p(-1 / order) - (math.log(delta) + math.log(order)) / (order - 1)

    covered = order_for(rho)
    grid = 1 + np.geomspace(1e-3, 20 * covered, 4000)
    assert min(grid, key=epsilon) <= covered * 1.01
    assert delta > SMALLEST_PART


def test_training_is_covered_only_up_to_the_order_at_which_its_run_is_read() -> None:
    units = units_of(0.01)
    enough = math.ceil(order_for(0.01))
    assert SAMPLED.covers({"ask": "train", "most": enough}, units)
    assert not SAMPLED.covers({"ask": "train", "most": enough - 1}, units)
    assert not SAMPLED.covers({"ask": "train", "most": enough}, units // 2)
    assert SAMPLED.covers({"ask": "measure"}, 1)
