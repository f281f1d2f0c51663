"""Test selection against the closed form of the exponential mechanism. Each test has a false-alarm rate of
1e-9.
"""

import math
from fractions import Fraction

import numpy as np
import opendp.prelude as dp
import pytest
from numpy.typing import NDArray
from scipy import stats

from synth.core.accounting import ZCDP
from synth.core.errors import Code, Refusal
from synth.private.entropy import OS_ENTROPY, Entropy, Rehearsal
from synth.private.queries import Selection
from synth.private.queries.selection import exponential
from synth.private.scores import Dependence, L1Gap
from tests.refusals import refused

ALPHA = 1e-9
CLOSE_TO_2 = 2 * (1 - 2.0**-48)
SOURCES = [OS_ENTROPY, Rehearsal(3)]


def softmax(scores: list[int], slope: float) -> NDArray[np.float64]:
    weights = np.exp(slope * (np.array(scores, dtype=float) - max(scores)))
    return weights / weights.sum()


def shares(scores: list[int], swing: int, epsilon: float, n: int, entropy: Entropy) -> NDArray[np.int64]:
    array = np.array(scores, dtype=np.int64)
    drawn = [exponential(array, swing, epsilon=epsilon, entropy=entropy) for _ in range(n)]
    return np.bincount(drawn, minlength=len(scores))


GAP_OF_BOTH = L1Gap((("a",), ("b",)), (np.array([1.3, 2.0, -0.1]), np.zeros(2)), (3, 1), (0.5, 0.0))

CHILDREN = Dependence((("a", "b"), ("a", "b")), ("b", "a"), {"a": np.array([1, 2, 4.0]), "b": np.ones(2)})

EXAMPLES = (Selection(GAP_OF_BOTH), Selection(CHILDREN))


@pytest.mark.parametrize("entropy", SOURCES, ids=["system", "rehearsal"])
@pytest.mark.parametrize(
    ("scores", "swing"),
    [
        ([1, -1], 2),  # permute-and-flip, sampled at the exponential mechanism's price, gives 0.93 for 0.88
        ([0, 0, 0], 2),
        ([5, 3, 3, 0], 4),
        ([1, 0], 1),
        ([2, 0, 1], 3),
        ([10**12 + 2048, 10**12, 10**12 - 4096], 4096),
    ],
    ids=str,
)
def test_winners_follow_the_softmax(scores: list[int], swing: int, entropy: Entropy) -> None:
    n, slope = 1500, 2 / swing
    counts = shares(scores, swing, CLOSE_TO_2, n, entropy)
    assert stats.chisquare(counts, softmax(scores, slope) * n).pvalue > ALPHA
    if len(set(scores)) > 1:
        assert stats.chisquare(counts, softmax(scores, slope * 2) * n).pvalue < ALPHA, "no power"


@pytest.mark.parametrize("units", [1, 7, 12_345, 10**9, 3 * 10**11, 10**12, 10**15 + 1])
def test_the_parameter_never_costs_more_than_its_price_and_hardly_less(units: int) -> None:
    cost, price = Fraction(ZCDP.range_within(units)) ** 2 / 8, Fraction(units, 10**12)
    assert price * Fraction(10**12 - 1, 10**12) < cost <= price


def renyi(p: np.ndarray, q: np.ndarray, order: float) -> float:
    """Return the divergence of two distributions over all candidates."""
    return float(np.log(np.sum(p * (p / q) ** (order - 1))) / (order - 1))


@pytest.mark.parametrize("units", [10**9, 10**11, 10**12])
def test_a_draw_is_worth_its_price_in_zcdp_at_every_order(units: int) -> None:
    """Scores that move by the swing or less leave a divergence of at most a rho at order a, which two even
    candidates nearly reach; with a slope a tenth steeper these pass it."""
    rng, swing, rho = np.random.default_rng(units), 2048, units / 10**12
    slope, orders = ZCDP.range_within(units) / swing, (1.01, 2.0, 8.0, 64.0)
    for candidates in (2, 2, 2, 3, 8) * 20:
        scores = rng.integers(-2 * swing, 2 * swing, candidates)
        moves = (
            rng.integers(0, swing + 1, candidates) if candidates % 2 else rng.choice([0, swing], candidates)
        )
        before, after = softmax(scores.tolist(), slope), softmax((scores + moves).tolist(), slope)
        for order in orders:
            assert max(renyi(before, after, order), renyi(after, before, order)) <= order * rho * (1 + 1e-9)
    middle, steep = [-swing // 4, swing // 4], 1.1 * slope
    stated = renyi(softmax(middle, slope), softmax(middle[::-1], slope), 1.01)
    assert 0.85 * rho < stated <= 1.01 * rho
    assert renyi(softmax(middle, steep), softmax(middle[::-1], steep), 1.01) > 1.01 * rho


def test_opendp_prices_a_two_sided_score_as_we_do() -> None:
    """Test the relation on which the code relies: map(D) = (2 D / scale)^2 / 8 for two-sided scores."""
    draw = dp.m.make_noisy_max(
        dp.vector_domain(dp.atom_domain(T="i64")),
        dp.linf_distance(T="i64"),
        dp.zero_concentrated_divergence(),
        scale=12.0,
    )
    assert draw.map(3) == pytest.approx((2 * 3 / 12) ** 2 / 8, rel=1e-12)


def test_a_draw_dearer_than_its_price_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("synth.private.queries.selection.math.nextafter", lambda scale, _: scale * 0.999999)
    with refused(Code.INTERNAL):
        exponential(np.array([0, 1], dtype=np.int64), 2, epsilon=2.0)


@pytest.mark.parametrize("entropy", SOURCES, ids=["system", "rehearsal"])
@pytest.mark.parametrize(("scores", "best"), [([0, 2**61], 1), ([2**61, -(2**61), 0], 0), ([-(2**40), 7], 1)])
def test_huge_differences_have_one_winner(scores: list[int], best: int, entropy: Entropy) -> None:
    assert shares(scores, 2048, 0.09, 20, entropy)[best] == 20


def test_an_odd_swing_with_scores_that_cannot_be_doubled_is_refused() -> None:
    with pytest.raises(Refusal):
        exponential(np.array([2**62, 0], dtype=np.int64), 3, epsilon=1e-6)
    assert exponential(np.array([2**62, 0], dtype=np.int64), 4, epsilon=CLOSE_TO_2) == 0


@pytest.mark.parametrize(
    ("scores", "swing", "epsilon"),
    [
        (np.array([], dtype=np.int64), 2, 1.0),
        (np.array([1.0, 2.0]), 2, 1.0),
        (np.array([1], dtype=np.int64), 0, 1.0),
        (np.array([1], dtype=np.int64), 2, 0.0),
        (np.array([1], dtype=np.int64), 2, math.nan),
    ],
)
def test_what_is_no_selection_is_refused(scores: NDArray[np.int64], swing: int, epsilon: float) -> None:
    with refused(Code.QUERY_INVALID):
        exponential(scores, swing, epsilon=epsilon)


def test_a_failure_of_the_engine_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("synth.private.queries.selection.math.nextafter", lambda scale, _: -scale)
    with pytest.raises(Refusal) as caught:
        exponential(np.array([424242, 1], dtype=np.int64), 2, epsilon=CLOSE_TO_2)
    assert caught.value.__cause__ is None and "424242" not in str(caught.value)


def test_two_scores_one_apart_each_way_are_not_permuted_and_flipped() -> None:
    counts = shares([1, -1], 2, CLOSE_TO_2, 5000, OS_ENTROPY)
    exponential_mechanism, permute_and_flip = 1 / (1 + math.exp(-2)), 1 - math.exp(-2) / 2
    assert stats.binomtest(int(counts[0]), 5000, exponential_mechanism).pvalue > ALPHA
    assert stats.binomtest(int(counts[0]), 5000, permute_and_flip).pvalue < ALPHA
