"""Conversions against published figures, OpenDP and dp-accounting, and the side they are rounded to."""

from __future__ import annotations

import math

import mpmath
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from synth.errors import Mistake
from synth.measure.accounting import (
    LISTS,
    SET_ASIDE,
    Law,
    Limit,
    analytic_gaussian_sigma,
    attack_ceiling,
    claim_of,
    delta_from,
    epsilon_for,
    epsilon_from,
    gaussian_delta_from,
    gaussian_epsilon_from,
    gaussian_rho_from,
    lifetime_delta,
    limit_for,
    rho_from,
    rho_of,
    units_of,
)

GOLDEN = [  # epsilon, then rho and the analytic Gaussian's sigma at delta 1e-9, then both at delta 1e-5
    (0.1, 1.77138e-4, 50.210, 4.32994e-4, 30.750),
    (0.2, 6.75268e-4, 25.764, 1.55884e-3, 16.304),
    (0.5, 3.95319e-3, 10.674, 8.50553e-3, 7.032),
    (1.0, 1.49731e-2, 5.4953, 3.05566e-2, 3.7306),
    (2.5, 8.55822e-2, 2.3056, 1.61847e-1, 1.6340),
    (5.0, 3.11693e-1, 1.2117, 5.50973e-1, 0.8919),
    (10.0, 1.09079, 0.6503, 1.7827, 0.4999),
]
EPSILONS = st.floats(1e-3, 60)
DELTAS = st.sampled_from([1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.1])
RHOS = st.floats(1e-7, 20)


@pytest.mark.parametrize(("epsilon", "rho9", "sigma9", "rho5", "sigma5"), GOLDEN)
def test_golden_table(epsilon: float, rho9: float, sigma9: float, rho5: float, sigma5: float) -> None:
    for delta, rho, sigma in ((1e-9, rho9, sigma9), (1e-5, rho5, sigma5)):
        assert rho_from(epsilon, delta) == pytest.approx(rho, rel=1e-5)
        assert analytic_gaussian_sigma(epsilon, delta) == pytest.approx(sigma, rel=1e-4)


@pytest.mark.parametrize(
    ("rho", "delta", "epsilon"),
    [
        (0.001, 1e-6, 0.18290),
        (0.01, 1e-9, 0.81017),
        (0.1, 1e-6, 2.14194),
        (0.1, 1e-9, 2.71548),
        (1.0, 1e-9, 9.52146),
    ],
)
def test_golden_epsilons(rho: float, delta: float, epsilon: float) -> None:
    assert epsilon_from(rho, delta) == pytest.approx(epsilon, abs=6e-6)


@settings(max_examples=30, deadline=None)
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


@settings(max_examples=40, deadline=None)
@given(epsilon=EPSILONS, delta=DELTAS)
def test_rho_is_on_the_safe_side_of_the_line_and_close_to_it(epsilon: float, delta: float) -> None:
    """Forty digits decide, so a conversion that rounds the wrong way by one digit of a float is seen."""
    rho = rho_from(epsilon, delta)
    assert best_delta(rho, epsilon) <= delta < best_delta(rho * (1 + 1e-9), epsilon)


@settings(max_examples=40, deadline=None)
@given(rho=RHOS, delta=DELTAS)
def test_epsilon_is_on_the_safe_side_of_the_line_and_close_to_it(rho: float, delta: float) -> None:
    epsilon = epsilon_from(rho, delta)
    if epsilon > 1e-8:
        assert best_delta(rho, epsilon) <= delta < best_delta(rho, epsilon * (1 - 1e-9) - 1e-9)


def best_delta(rho: float, epsilon: float) -> mpmath.mpf:
    """min over a of the bound, in 40 digits: golden numbers for a given rho and epsilon."""
    with mpmath.workdps(40):
        r, e = mpmath.mpf(rho), mpmath.mpf(epsilon)
        low, high = mpmath.mpf(10) ** -15, (e + 1) / (2 * r) + 2
        for _ in range(140):
            b = mpmath.sqrt(low * high)
            low, high = (b, high) if (2 * b + 1) * r - e + mpmath.log(b / (1 + b)) < 0 else (low, b)
        return min(mpmath.mpf(1), mpmath.exp(b * ((1 + b) * r - e) + (1 + b) * mpmath.log(b / (1 + b))) / b)


@settings(max_examples=30, deadline=None)
@given(epsilon=EPSILONS, delta=DELTAS)
def test_there_and_back_never_promises_more_than_was_asked(epsilon: float, delta: float) -> None:
    units = units_of(rho_from(epsilon, delta))
    back = epsilon_from(rho_of(units), delta)
    assert back <= epsilon
    assert back == pytest.approx(epsilon, rel=1e-9 + 10 / max(units, 1), abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(rho=RHOS, epsilon=EPSILONS, factor=st.floats(1.001, 3))
def test_delta_grows_with_rho_and_falls_with_epsilon(rho: float, epsilon: float, factor: float) -> None:
    here, dust = delta_from(rho, epsilon), 1 + 1e-11
    assert 0 <= delta_from(rho, epsilon * factor) <= here * dust
    assert here <= delta_from(rho * factor, epsilon) * dust and here <= 1


def test_the_ends() -> None:
    assert epsilon_from(0.0, 1e-9) == 0.0
    assert delta_from(0.0, 1.0) == 0.0
    assert rho_from(1e-4, 1e-9) > 0
    assert rho_from(500.0, 1e-9) < 500
    assert epsilon_from(1e5, 1e-9) < 1.1e5


@settings(max_examples=40, deadline=None)
@given(epsilon=st.floats(0.01, 40), delta=DELTAS)
def test_the_analytic_sigma_is_the_smallest_that_keeps_the_promise(epsilon: float, delta: float) -> None:
    def exact(sigma: mpmath.mpf) -> mpmath.mpf:
        near, far = mpmath.ncdf(0.5 / sigma - epsilon * sigma), mpmath.ncdf(-0.5 / sigma - epsilon * sigma)
        return near - mpmath.exp(epsilon) * far

    with mpmath.workdps(50):
        sigma = mpmath.mpf(analytic_gaussian_sigma(epsilon, delta))
        assert exact(sigma) <= delta < exact(sigma * (1 - mpmath.mpf(10) ** -8))
    assert sigma <= 1 / math.sqrt(2 * rho_from(epsilon, delta)), (
        "a Gaussian alone needs less noise than zCDP says"
    )


@given(st.integers(0, 10**15))
def test_units_survive_the_way_through_rho(units: int) -> None:
    assert units_of(rho_of(units)) == units


def test_units_round_down_but_forgive_float_dust() -> None:
    assert units_of(sum([0.1] * 10)) == 10**12
    assert units_of(0.7 * 3) == units_of(2.1) == 2_100_000_000_000
    assert units_of(2.9999e-12) == 2
    assert units_of(1.0000000000009) == 10**12
    for impossible in (-1e-12, math.inf, math.nan):
        with pytest.raises(ValueError, match="rho"):
            units_of(impossible)


@pytest.mark.parametrize(
    ("epsilon", "guess", "caught"),
    [(0.1, 0.525, 0.055), (0.5, 0.622, 0.082), (1, 0.731, 0.136), (2, 0.881, 0.369), (3, 0.953, 0.953)],
)
def test_the_odds_picture(epsilon: float, guess: float, caught: float) -> None:
    assert attack_ceiling(epsilon, 0.0) == pytest.approx((guess, caught), abs=5e-4)


@given(epsilon=st.floats(0, 2000), delta=st.floats(0, 0.999), alarms=st.floats(0, 1))
def test_ceilings_are_probabilities_and_no_attack_passes_them(
    epsilon: float, delta: float, alarms: float
) -> None:
    guess, caught = attack_ceiling(epsilon, delta, false_alarms=alarms)
    assert 0.5 <= guess <= 1 and min(1, alarms) - 1e-12 <= caught <= 1
    # randomised response that fails openly with probability delta is the attack that meets both ceilings
    right = (1 - delta) / (1 + math.exp(-epsilon))
    assert guess == pytest.approx((right + delta + (1 - right)) / 2 + (right + delta - (1 - right)) / 2)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.inf, math.nan])
def test_an_impossible_epsilon_is_named(epsilon: float) -> None:
    with pytest.raises(Mistake, match=repr(epsilon)):
        rho_from(epsilon, 1e-9)


@pytest.mark.parametrize("delta", [0.0, 1.0, -1e-9, math.nan])
def test_an_impossible_delta_is_named(delta: float) -> None:
    for convert in (rho_from, epsilon_from, analytic_gaussian_sigma):
        with pytest.raises(Mistake, match=repr(delta)):
            convert(1.0, delta)


def exact_delta(rho: float | mpmath.mpf, epsilon: float) -> mpmath.mpf:
    """The curve of GDP with mu^2 / 2 = rho, in 60 digits, from the definition: Pr[L > e] - e^e Pr'[L > e]."""
    with mpmath.workdps(60):
        mu, e = mpmath.sqrt(2 * mpmath.mpf(rho)), mpmath.mpf(epsilon)
        return mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)


@settings(max_examples=60, deadline=None)
@given(epsilon=EPSILONS, delta=DELTAS)
def test_a_gaussian_rho_is_on_the_safe_side_of_the_exact_curve_and_close_to_it(
    epsilon: float, delta: float
) -> None:
    rho = gaussian_rho_from(epsilon, delta)
    assert exact_delta(rho, epsilon) <= delta < exact_delta(rho * (1 + 1e-7), epsilon)
    assert exact_delta(mpmath.mpf(units_of(rho)) / 10**12, epsilon) <= delta, "forgiven dust stays within"


@settings(max_examples=40, deadline=None)
@given(rho=RHOS, delta=DELTAS)
def test_a_gaussian_epsilon_is_on_the_safe_side_of_the_exact_curve(rho: float, delta: float) -> None:
    epsilon = gaussian_epsilon_from(rho, delta)
    assert exact_delta(rho, epsilon) <= delta
    if epsilon > 1e-6:
        assert delta < exact_delta(rho, epsilon * (1 - 1e-6) - 1e-9)
    assert epsilon <= epsilon_from(rho, delta), "zCDP is the looser reading"


@settings(max_examples=40, deadline=None)
@given(sigma=st.floats(0.05, 1e4), epsilon=st.floats(0.0, 700.0))
@example(sigma=0.5, epsilon=73.796875)
@example(sigma=0.08646186901265036, epsilon=376.64301826354085)
def test_a_gaussian_delta_is_rounded_up(sigma: float, epsilon: float) -> None:
    """Also where the smaller of its two tails is below 1e-308, of which floats keep few digits."""
    with mpmath.workdps(60):
        exact = exact_delta(1 / (2 * mpmath.mpf(sigma) ** 2), epsilon)
    assert gaussian_delta_from(sigma, epsilon) >= exact or exact < 1e-290


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-5), (1.0, 1e-6), (3.0, 1e-9)])
def test_dp_accounting_agrees_on_many_gaussian_answers_together(epsilon: float, delta: float) -> None:
    """Its privacy loss distribution of forty unequal Gaussians, rounded up there, against one mu here."""
    from dp_accounting import ComposedDpEvent, GaussianDpEvent
    from dp_accounting.pld import PLDAccountant

    units = limit_for(epsilon, delta).gaussian_units
    shares = [units * k // 820 for k in range(1, 41)]
    accountant = PLDAccountant(value_discretization_interval=1e-3)
    accountant.compose(ComposedDpEvent([GaussianDpEvent((0.5e12 / share) ** 0.5) for share in shares]))
    theirs = accountant.get_epsilon(delta)
    assert claim_of(sum(shares), delta, is_gaussian=True) == pytest.approx(theirs, rel=2e-3)
    assert claim_of(sum(shares), delta, is_gaussian=True) <= theirs
    assert claim_of(sum(shares), delta, is_gaussian=False) > theirs * 1.02


@settings(max_examples=60, deadline=None)
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
    assert claim_of(limit.gaussian_units, delta, is_gaussian=True) <= epsilon
    assert claim_of(limit.units, delta, is_gaussian=False) <= epsilon


def test_gaussian_answers_get_five_percent_less_noise_at_the_same_promise() -> None:
    for epsilon in (0.1, 1.0, 10.0):
        limit = limit_for(epsilon, 1e-9)
        assert 0.94 < math.sqrt(limit.units / limit.gaussian_units) < 0.965


def test_setting_delta_aside_costs_next_to_nothing() -> None:
    for epsilon in (0.1, 1.0, 10.0):
        kept = limit_for(epsilon, 1e-9).gaussian_units
        assert 1 < gaussian_rho_from(epsilon, 1e-9) * 1e12 / kept < 1.002


def test_a_limit_out_of_order_is_no_limit() -> None:
    assert Limit.plain(7) == Limit(units=7, gaussian_units=7, mixed_units=7)
    for units, gaussian, mixed in ((5, 4, 3), (5, 6, 7), (5, 6, 0)):
        with pytest.raises(ValueError, match="Gaussian"):
            Limit(units=units, gaussian_units=gaussian, mixed_units=mixed)


def test_the_ends_of_the_gaussian_conversions() -> None:
    assert gaussian_epsilon_from(0.0, 1e-9) == 0.0
    assert gaussian_epsilon_from(1e-22, 1e-9) == 0.0, "a total variation below delta needs no epsilon"
    assert claim_of(0, 1e-9, is_gaussian=True) == claim_of(0, 1e-9, is_gaussian=False) == 0.0
    with pytest.raises(Mistake, match="too small"):
        limit_for(1e-9, 1e-15)


@settings(max_examples=30, deadline=None)
@given(
    epsilon=st.floats(0.05, 20), delta=st.sampled_from([1e-12, 1e-9, 1e-7]), law=st.sampled_from(list(Law))
)
def test_what_a_law_claims_of_its_units_is_the_promise_they_follow_from(
    epsilon: float, delta: float, law: Law
) -> None:
    claimed = law.claim(law.units_of(epsilon, delta), delta)
    assert claimed <= epsilon * (1 + 1e-12) and claimed == pytest.approx(epsilon, rel=1e-4)


@pytest.mark.parametrize("delta", [1e-12, 1e-9, 1e-7])
@pytest.mark.parametrize("law", list(Law))
def test_the_three_bounds_and_the_lists_share_one_delta(law: Law, delta: float) -> None:
    """In the event that answers of another kind are asked, lists add to its part of delta."""
    limit = limit_for(1.0, delta)
    lists = mpmath.mpf(limit.delta_units) / 10**18
    with mpmath.workdps(40):
        kept = exact_delta(mpmath.mpf(limit.gaussian_units) / 10**12, 1.0)
        spent = delta_from(rho_of(limit.under(law)), 1.0)
        total = {
            Law.ZCDP: spent + lists,
            Law.GAUSSIAN: kept + lists,
            Law.MIXED: kept + spent + lists,
        }[law]
        assert total <= mpmath.mpf(delta) * (1 + mpmath.mpf(10) ** -12)
    assert limit.delta_units == pytest.approx(delta * LISTS * 1e18)
    assert lifetime_delta(limit.promise[1] if limit.promise else 0.0, limit.delta_units) == delta


def test_a_run_knows_the_epsilon_of_its_units() -> None:
    for is_gaussian in (True, False):
        units = limit_for(1.5, 1e-7).of(is_gaussian=is_gaussian)
        assert epsilon_for(units, 1e-7, is_gaussian=is_gaussian) == pytest.approx(1.5, rel=1e-9)


def test_a_delta_that_lists_have_used_up_is_refused_in_a_sentence() -> None:
    assert limit_for(1.0, 1e-9, delta_units=10**8).delta_units == 10**8
    with pytest.raises(Mistake, match=r"Delta 1e-09 is not above what bought .* already, 2e-09"):
        limit_for(1.0, 1e-9, delta_units=2 * 10**9)
