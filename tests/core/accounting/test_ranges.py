"""Test that log ratios within an interval are Gaussian differential privacy with the mu of its length.

The exact trade-off functions of exponential mechanisms are compared with the Gaussian curve, for all small
score vectors and both neighbour relations (assets/proofs/ranges.md).
"""

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy.stats import norm

from synth.core.accounting import GAUSSIAN, ZCDP
from synth.core.accounting.gaussian import range_within


def mu_of(length: float) -> float:
    """The formula of the proof: mu = 2 Phi^-1(1 / (1 + exp(-e / 2)))."""
    return float(-2 * norm.ppf(1 / (1 + math.exp(length / 2))))


def needed_mu(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The smallest mu of each pair of distributions, from the vertices of their exact trade-off function.

    A trade-off function of finitely many outcomes is a polygon, and a Gaussian curve is convex. So the curve
    is below the polygon if it is below its vertices. Shapes: float64[pairs, outcomes].
    """
    order = np.argsort(p / q, axis=1)
    false_alarms = np.take_along_axis(p, order, 1).cumsum(axis=1)[:, :-1]
    missed = np.take_along_axis(q, order, 1)[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    return np.asarray((norm.isf(false_alarms) - norm.ppf(missed)).max(axis=1))


def pairs(candidates: int, moves: range) -> tuple[np.ndarray, np.ndarray]:
    """All score vectors from 0 to 2, each with all its neighbours. The first score and move are 0 or the
    least, because only differences matter."""
    scores = np.array([(0, *rest) for rest in itertools.product(range(-2, 3), repeat=candidates - 1)])
    moved = np.array([m for m in itertools.product(moves, repeat=candidates) if min(m) == moves[0]])
    before = np.repeat(scores, len(moved), axis=0)
    return before, before + np.tile(moved, (len(scores), 1))


def softmax(scores: np.ndarray, slope: float) -> np.ndarray:
    weights = np.exp(slope * (scores - scores.max(axis=1, keepdims=True)))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("length", [0.1, 1.0, 4.0])
@pytest.mark.parametrize(
    ("moves", "swing"),
    [(range(-1, 2), 2), (range(2), 1), (range(-2, 3, 2), 4)],
    ids=["a row more or less", "a row more, monotone", "another row"],
)
def test_no_exponential_mechanism_is_beyond_the_gaussian_curve(
    moves: range, swing: int, length: float
) -> None:
    worst = 0.0
    for candidates in (2, 3, 4):
        before, after = pairs(candidates, moves)
        worst = max(worst, needed_mu(softmax(before, length / swing), softmax(after, length / swing)).max())
    assert worst <= mu_of(length) * (1 + 1e-9)
    assert worst > mu_of(length) * 0.97, "the formula is nearly reached, so a smaller mu would be false"


@pytest.mark.parametrize("length", [0.01, 0.5, 2.0, 8.0])
def test_the_worst_shift_is_half_of_the_range(length: float) -> None:
    """Two outcomes with log ratios t and t - e, for every shift t."""
    shifts = np.linspace(0.0, length, 403)[1:-1]
    first = -np.expm1(shifts - length) / (np.exp(shifts) - np.exp(shifts - length))
    q = np.stack([first, 1 - first], axis=1)
    p = np.stack([first * np.exp(shifts), (1 - first) * np.exp(shifts - length)], axis=1)
    mus = needed_mu(p / p.sum(axis=1, keepdims=True), q)
    assert mus.max() <= mu_of(length) * (1 + 1e-9) and mus.max() == pytest.approx(mu_of(length), rel=1e-9)
    assert shifts[int(mus.argmax())] == pytest.approx(length / 2)


@pytest.mark.parametrize("units", [1, 10**6, 10**9, 3 * 10**11, 10**13, 4 * 10**14])
def test_a_range_is_close_and_on_the_safe_side(units: int) -> None:
    with mpmath.workdps(60):
        half = mpmath.sqrt(2 * mpmath.mpf(units) / 10**12) / 2
        exact = 2 * mpmath.log(mpmath.ncdf(half) / mpmath.ncdf(-half))
        found = mpmath.mpf(GAUSSIAN.range_within(units))
        assert exact * (1 - mpmath.mpf(10) ** -11) < found < exact * (1 - mpmath.mpf(2) ** -48)
    is_small = ZCDP.range_within(units) < 10
    assert not is_small or GAUSSIAN.range_within(units) < ZCDP.range_within(units), (
        "GDP is the stronger claim"
    )


def test_ranges_beyond_what_floats_tell_apart_are_not_used() -> None:
    assert math.isfinite(GAUSSIAN.range_within(10**18)) and range_within(1e9) == range_within(1e3)
