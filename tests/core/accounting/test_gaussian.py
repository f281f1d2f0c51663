"""Test the exact curve against many digits and dp-accounting, and its direction of rounding."""

from __future__ import annotations

import math

import mpmath
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from synth.core.accounting.gaussian import (
    GAUSSIAN,
    analytic_gaussian_sigma,
    gaussian_delta_from,
    gaussian_epsilon_from,
    gaussian_rho_from,
)
from synth.core.accounting.guarantee import units_of
from synth.core.accounting.limit import limit_for
from synth.core.accounting.zcdp import ZCDP, epsilon_from, rho_from
from synth.core.errors import Mistake

EPSILONS = st.floats(1e-3, 60)
DELTAS = st.sampled_from([1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.1])
RHOS = st.floats(1e-7, 20)


@settings(max_examples=20, deadline=None)
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


def exact_delta(rho: float | mpmath.mpf, epsilon: float) -> mpmath.mpf:
    """Return the curve of GDP with mu^2 / 2 = rho, in 60 digits, by its definition: Pr[L > e] - e^e Pr'[L >
    e].
    """
    with mpmath.workdps(60):
        mu, e = mpmath.sqrt(2 * mpmath.mpf(rho)), mpmath.mpf(epsilon)
        return mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)


@settings(max_examples=30, deadline=None)
@given(epsilon=EPSILONS, delta=DELTAS)
def test_a_gaussian_rho_is_close_and_on_the_safe_side(epsilon: float, delta: float) -> None:
    rho = gaussian_rho_from(epsilon, delta)
    assert exact_delta(rho, epsilon) <= delta < exact_delta(rho * (1 + 1e-7), epsilon)
    assert exact_delta(mpmath.mpf(units_of(rho)) / 10**12, epsilon) <= delta, "forgiven dust stays within"


@settings(max_examples=20, deadline=None)
@given(rho=RHOS, delta=DELTAS)
def test_a_gaussian_epsilon_is_on_the_safe_side_of_the_exact_curve(rho: float, delta: float) -> None:
    epsilon = gaussian_epsilon_from(rho, delta)
    assert exact_delta(rho, epsilon) <= delta
    if epsilon > 1e-6:
        assert delta < exact_delta(rho, epsilon * (1 - 1e-6) - 1e-9)
    assert epsilon <= epsilon_from(rho, delta), "zCDP is the looser reading"


@settings(max_examples=20, deadline=None)
@given(sigma=st.floats(0.05, 1e4), epsilon=st.floats(0.0, 700.0))
@example(sigma=0.5, epsilon=73.796875)
@example(sigma=0.08646186901265036, epsilon=376.64301826354085)
def test_a_gaussian_delta_is_rounded_up(sigma: float, epsilon: float) -> None:
    """This includes cases in which the smaller tail is below 1e-308, where floats have few digits."""
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
    assert GAUSSIAN.claim_alone(sum(shares), delta) == pytest.approx(theirs, rel=2e-3)
    assert GAUSSIAN.claim_alone(sum(shares), delta) <= theirs
    assert ZCDP.claim_alone(sum(shares), delta) > theirs * 1.02


def test_the_ends_of_the_gaussian_conversions() -> None:
    assert gaussian_epsilon_from(0.0, 1e-9) == 0.0
    assert gaussian_epsilon_from(1e-22, 1e-9) == 0.0, "a total variation below delta needs no epsilon"
    assert GAUSSIAN.claim_alone(0, 1e-9) == ZCDP.claim_alone(0, 1e-9) == 0.0
    with pytest.raises(Mistake, match="smaller than the smallest unit"):
        limit_for(1e-9, 1e-15)
