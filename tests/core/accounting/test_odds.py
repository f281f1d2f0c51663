"""Test odds against exact attacks, and the epsilon that keeps them."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from synth.core.accounting import GAUSSIAN, SAMPLED, ZCDP, Law, limit_for
from synth.core.accounting.odds import FALSE_ALARMS, epsilon_for_odds, odds_of
from synth.core.errors import Mistake

DELTA = 1e-9


def of_run(epsilon: float, law: Law) -> tuple[float, float]:
    odds = odds_of(epsilon, DELTA, law=law, units=limit_for(epsilon, DELTA).under(law))
    return odds.guess, odds.caught


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_odds_of_zcdp_cover_the_best_attack_on_a_gaussian_and_are_not_far_above(epsilon: float) -> None:
    """A Gaussian answer with this rho is the hardest known case; its attacks are known exactly."""
    mu = math.sqrt(2e-12 * limit_for(epsilon, DELTA).units)
    guess, caught = of_run(epsilon, ZCDP)
    for stated, exact in ((guess, norm.cdf(mu / 2)), (caught, norm.sf(norm.isf(FALSE_ALARMS) - mu))):
        assert exact < stated < exact + 0.3 * (1 - exact)


@pytest.mark.long
def test_the_odds_of_any_two_laws_within_rho_are_covered() -> None:
    """Random pairs of distributions with the largest Renyi divergence over order, at all orders."""
    rng, orders = np.random.default_rng(1), np.geomspace(1.001, 60, 40)
    for _ in range(200):
        p, q = rng.dirichlet(np.ones(3) * 4), rng.dirichlet(np.ones(3) * 4)
        rho = max(
            math.log(float((x**a / y ** (a - 1)).sum())) / (a - 1) / a
            for a in orders
            for x, y in ((p, q), (q, p))
        )
        odds = odds_of(50.0, 1e-9, law=ZCDP, units=math.ceil(rho * 1e12))
        assert 0.5 + np.abs(p - q).sum() / 4 <= odds.guess


@pytest.mark.parametrize("law", [GAUSSIAN, SAMPLED])
@pytest.mark.parametrize("risk", [{"guess": 0.55}, {"caught": 0.07}, {"guess": 0.7, "caught": 0.2}])
def test_an_epsilon_for_odds_keeps_them_and_no_larger_one_does(law: Law, risk: dict[str, float]) -> None:
    epsilon = epsilon_for_odds(DELTA, law=law, **risk)
    assert all(
        stated <= risk.get(name, 1)
        for name, stated in zip(("guess", "caught"), of_run(epsilon, law), strict=True)
    )
    more = dict(zip(("guess", "caught"), of_run(epsilon * 1.001, law), strict=True))
    assert any(more[name] > most for name, most in risk.items())


@pytest.mark.parametrize("risk", [{"guess": 0.5}, {"guess": 1.0}, {"caught": 0.05}, {"guess": 0.50001}])
def test_odds_that_no_release_has_are_refused(risk: dict[str, float]) -> None:
    with pytest.raises(Mistake):
        epsilon_for_odds(DELTA, law=GAUSSIAN, **risk)
