"""Test zCDP and the accounting of mixed lifetime budgets: safe, tight, and equal to other implementations."""

import math

import mpmath
import pytest
from hypothesis import given, settings

from synth.core.accounting.gaussian import GAUSSIAN, analytic_gaussian_sigma
from synth.core.accounting.guarantee import LISTS, SET_ASIDE, lifetime_delta, rho_of, units_of
from synth.core.accounting.law import Law
from synth.core.accounting.limit import LINE_LAWS, limit_for
from synth.core.accounting.zcdp import MIXED, ZCDP, delta_from, epsilon_from, rho_from
from synth.core.errors import Mistake
from tests.core.accounting.test_gaussian import DELTAS, EPSILONS, RHOS, exact_delta

GOLDEN = [  # epsilon, then rho and the analytic Gaussian's sigma at delta 1e-9, then both at delta 1e-5
    (0.1, 1.77138e-4, 50.210, 4.32994e-4, 30.750),
    (0.2, 6.75268e-4, 25.764, 1.55884e-3, 16.304),
    (0.5, 3.95319e-3, 10.674, 8.50553e-3, 7.032),
    (1.0, 1.49731e-2, 5.4953, 3.05566e-2, 3.7306),
    (2.5, 8.55822e-2, 2.3056, 1.61847e-1, 1.6340),
    (5.0, 3.11693e-1, 1.2117, 5.50973e-1, 0.8919),
    (10.0, 1.09079, 0.6503, 1.7827, 0.4999),
]


@pytest.mark.parametrize(("epsilon", "rho9", "sigma9", "rho5", "sigma5"), GOLDEN)
def test_golden_table(epsilon: float, rho9: float, sigma9: float, rho5: float, sigma5: float) -> None:
    for delta, rho, sigma in ((1e-9, rho9, sigma9), (1e-5, rho5, sigma5)):
        assert rho_from(epsilon, delta) == pytest.approx(rho, rel=1e-5)
        assert analytic_gaussian_sigma(epsilon, delta) == pytest.approx(sigma, rel=1e-4)


@settings(max_examples=15, deadline=None)
@given(rho=RHOS, delta=DELTAS)
def test_epsilon_agrees_with_opendp_and_is_never_above_dp_accounting(rho: float, delta: float) -> None:
    import opendp.prelude as dp
    from dp_accounting import ZCDpEvent
    from dp_accounting.rdp import RdpAccountant

    dp.enable_features("contrib")
    sigma = math.sqrt(0.5 / rho)
    gaussian = dp.m.make_gaussian(dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64"), sigma)
    theirs = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(gaussian), delta).map(1.0)[0]
    ours = epsilon_from(rho, delta)
    assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9)
    accountant = RdpAccountant()
    accountant.compose(ZCDpEvent(rho))
    assert ours <= accountant.get_epsilon(delta) * (1 + 1e-9)


@settings(max_examples=20, deadline=None)
@given(epsilon=EPSILONS, delta=DELTAS)
def test_rho_is_on_the_safe_side_of_the_line_and_close_to_it(epsilon: float, delta: float) -> None:
    """The test uses forty digits, so it detects a conversion that rounds the last digit of a float the wrong
    way.
    """
    rho = rho_from(epsilon, delta)
    assert best_delta(rho, epsilon) <= delta < best_delta(rho * (1 + 1e-9), epsilon)


@settings(max_examples=20, deadline=None)
@given(rho=RHOS, delta=DELTAS)
def test_epsilon_is_on_the_safe_side_of_the_line_and_close_to_it(rho: float, delta: float) -> None:
    epsilon = epsilon_from(rho, delta)
    if epsilon > 1e-8:
        assert best_delta(rho, epsilon) <= delta < best_delta(rho, epsilon * (1 - 1e-9) - 1e-9)


def best_delta(rho: float, epsilon: float) -> mpmath.mpf:
    """Return the minimum of the bound over a, in 40 digits, as a reference for a given rho and epsilon."""
    with mpmath.workdps(40):
        r, e = mpmath.mpf(rho), mpmath.mpf(epsilon)
        low, high = mpmath.mpf(10) ** -15, (e + 1) / (2 * r) + 2
        for _ in range(140):
            b = mpmath.sqrt(low * high)
            low, high = (b, high) if (2 * b + 1) * r - e + mpmath.log(b / (1 + b)) < 0 else (low, b)
        return min(mpmath.mpf(1), mpmath.exp(b * ((1 + b) * r - e) + (1 + b) * mpmath.log(b / (1 + b))) / b)


@settings(max_examples=15, deadline=None)
@given(epsilon=EPSILONS, delta=DELTAS)
def test_there_and_back_never_promises_more_than_was_asked(epsilon: float, delta: float) -> None:
    units = units_of(rho_from(epsilon, delta))
    back = epsilon_from(rho_of(units), delta)
    assert back <= epsilon
    assert back == pytest.approx(epsilon, rel=1e-9 + 10 / max(units, 1), abs=1e-9)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.inf, math.nan])
def test_an_impossible_epsilon_is_named(epsilon: float) -> None:
    with pytest.raises(Mistake, match=repr(epsilon)):
        rho_from(epsilon, 1e-9)


@pytest.mark.parametrize("delta", [0.0, 1.0, -1e-9, math.nan])
def test_an_impossible_delta_is_named(delta: float) -> None:
    for convert in (rho_from, epsilon_from, analytic_gaussian_sigma):
        with pytest.raises(Mistake, match=repr(delta)):
            convert(1.0, delta)


@settings(max_examples=30, deadline=None)
@given(epsilon=EPSILONS, delta=DELTAS)
def test_a_promise_gives_most_to_gaussian_answers_and_least_to_a_change(epsilon: float, delta: float) -> None:
    try:
        limit = limit_for(epsilon, delta)
    except Mistake:
        assert rho_from(epsilon, delta) < 1e-8
        return
    assert limit.mixed_units < limit.units < limit.gaussian_units
    aside = mpmath.mpf(delta) * SET_ASIDE
    kept = exact_delta(mpmath.mpf(limit.gaussian_units) / 10**12, epsilon)
    with mpmath.workdps(40):
        assert kept + aside * (1 - mpmath.mpf(10) ** -12) <= delta
    assert delta_from(rho_of(limit.mixed_units), epsilon) <= delta * SET_ASIDE
    assert delta_from(rho_of(limit.units), epsilon) <= delta
    assert GAUSSIAN.claim_alone(limit.gaussian_units, delta) <= epsilon
    assert ZCDP.claim_alone(limit.units, delta) <= epsilon


@pytest.mark.parametrize("delta", [1e-12, 1e-9, 1e-7])
@pytest.mark.parametrize("law", LINE_LAWS)
def test_the_three_bounds_and_the_lists_share_one_delta(law: Law, delta: float) -> None:
    """In the event that answers of another kind are asked, lists add to its part of delta."""
    limit = limit_for(1.0, delta)
    lists = mpmath.mpf(limit.delta_units) / 10**18
    with mpmath.workdps(40):
        kept = exact_delta(mpmath.mpf(limit.gaussian_units) / 10**12, 1.0)
        spent = delta_from(rho_of(limit.under(law)), 1.0)
        total = {ZCDP: spent + lists, GAUSSIAN: kept + lists, MIXED: kept + spent + lists}[law]
        assert total <= mpmath.mpf(delta) * (1 + mpmath.mpf(10) ** -12)
    assert limit.delta_units == pytest.approx(delta * LISTS * 1e18)
    assert lifetime_delta(limit.promise[1] if limit.promise else 0.0, limit.delta_units) == delta
