"""How the three limits of a line and its lists share one delta."""

from __future__ import annotations

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.accounting.gaussian import GAUSSIAN, gaussian_rho_from
from synth.core.accounting.law import Law
from synth.core.accounting.limit import LINE_LAWS, limit_for
from synth.core.accounting.mixed import MIXED
from synth.core.accounting.promise import LISTS, SET_ASIDE, lifetime_delta, rho_of
from synth.core.accounting.zcdp import ZCDP, delta_from, rho_from
from synth.core.errors import Mistake

EPSILONS = st.floats(1e-3, 60)
DELTAS = st.sampled_from([1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.1])


def exact_delta(rho: float | mpmath.mpf, epsilon: float) -> mpmath.mpf:
    """The curve of GDP with mu^2 / 2 = rho, in 60 digits, from the definition: Pr[L > e] - e^e Pr'[L > e]."""
    with mpmath.workdps(60):
        mu, e = mpmath.sqrt(2 * mpmath.mpf(rho)), mpmath.mpf(epsilon)
        return mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)


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
    assert GAUSSIAN.claim_alone(limit.gaussian_units, delta) <= epsilon
    assert ZCDP.claim_alone(limit.units, delta) <= epsilon


def test_setting_delta_aside_costs_next_to_nothing() -> None:
    for epsilon in (0.1, 1.0, 10.0):
        kept = limit_for(epsilon, 1e-9).gaussian_units
        assert 1 < gaussian_rho_from(epsilon, 1e-9) * 1e12 / kept < 1.002


@pytest.mark.parametrize("delta", [1e-12, 1e-9, 1e-7])
@pytest.mark.parametrize("law", LINE_LAWS)
def test_the_three_bounds_and_the_lists_share_one_delta(law: Law, delta: float) -> None:
    """In the event that answers of another kind are asked, lists add to its part of delta."""
    limit = limit_for(1.0, delta)
    lists = mpmath.mpf(limit.delta_units) / 10**18
    with mpmath.workdps(40):
        kept = exact_delta(mpmath.mpf(limit.gaussian_units) / 10**12, 1.0)
        spent = delta_from(rho_of(limit.under(law)), 1.0)
        total = {
            ZCDP: spent + lists,
            GAUSSIAN: kept + lists,
            MIXED: kept + spent + lists,
        }[law]
        assert total <= mpmath.mpf(delta) * (1 + mpmath.mpf(10) ** -12)
    assert limit.delta_units == pytest.approx(delta * LISTS * 1e18)
    assert lifetime_delta(limit.promise[1] if limit.promise else 0.0, limit.delta_units) == delta
