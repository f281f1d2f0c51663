"""Test units, and the limits that a guarantee sets for an attacker."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.core.accounting.gaussian import gaussian_delta_from
from synth.core.accounting.guarantee import attack_ceiling, units_of


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


@pytest.mark.parametrize("mu", [0.01, 0.18, 1.0, 4.0])
def test_the_limits_of_gaussian_dp_are_the_smallest_over_its_curve(mu: float) -> None:
    """The report of a release with mu 0.18 stated 73 right guesses in 100 instead of 53.6."""
    epsilons = [0.0, *np.geomspace(1e-5, 12, 4000)]
    curve = [(epsilon, gaussian_delta_from(1 / mu, epsilon)) for epsilon in epsilons]
    ends = [attack_ceiling(epsilon, delta) for epsilon, delta in curve if delta > 1e-280]
    assert attack_ceiling(12.0, 1e-9, mu=mu) == pytest.approx(tuple(np.min(ends, axis=0)), rel=1e-4)


@given(epsilon=st.floats(0, 2000), delta=st.floats(0, 0.999), alarms=st.floats(0, 1))
def test_ceilings_are_probabilities_no_attack_passes(epsilon: float, delta: float, alarms: float) -> None:
    guess, caught = attack_ceiling(epsilon, delta, false_alarms=alarms)
    assert 0.5 <= guess <= 1 and min(1, alarms) - 1e-12 <= caught <= 1
    # randomised response that fails openly with probability delta is the attack that meets both ceilings
    right = (1 - delta) / (1 + math.exp(-epsilon))
    assert guess == pytest.approx((right + delta + (1 - right)) / 2 + (right + delta - (1 - right)) / 2)
