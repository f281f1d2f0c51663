"""The sampler against its law, computed independently. False-alarm rate of every statistical test: 1e-9.

Each chi-square comes with its power check: the same test on the same number of draws must reject what a
plausible fault would produce.
"""

import math
import os
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from synth.private import noise
from synth.private.entropy import Entropy, Rehearsal
from synth.private.noise import bernoulli_exp, discrete_gaussian, enclosed_cdf, exp_below, rounded_gaussian

Law = Callable[[Fraction], tuple[NDArray[np.int64], NDArray[np.float64]]]
ALPHA = 1e-9
DRAWS = 700_000
VARIANCES = [
    Fraction(1, 4),
    Fraction(1),
    Fraction(9, 2),
    Fraction(100),
    Fraction(10_000),
    Fraction(7, 3),
    Fraction(27182818284590452353, 10**19),
]


def law(variance: Fraction) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Values and probabilities of the discrete Gaussian over 12 sigma, from mpmath's exponential."""
    reach = math.ceil(12 * math.sqrt(variance)) + 2
    with mpmath.workprec(120):
        step = mpmath.mpf(variance.denominator) / (2 * variance.numerator)
        weights = [mpmath.exp(-k * k * step) for k in range(reach + 1)]
        total = weights[0] + 2 * mpmath.fsum(weights[1:])
        half = [float(w / total) for w in weights]
    return np.arange(-reach, reach + 1), np.array(half[:0:-1] + half)


def rounded_law(variance: Fraction) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Values and probabilities of the rounded Gaussian over 12 sigma, from mpmath's error function."""
    reach = math.ceil(12 * math.sqrt(variance)) + 2
    with mpmath.workprec(200):
        sigma = mpmath.sqrt(mpmath.mpf(variance.numerator) / variance.denominator)
        tails = [mpmath.erfc((k - mpmath.mpf(0.5)) / sigma / mpmath.sqrt(2)) / 2 for k in range(1, reach + 2)]
        half = [float(1 - 2 * tails[0]), *(float(a - b) for a, b in pairwise(tails))]
    return np.arange(-reach, reach + 1), np.array(half[:0:-1] + half)


def p_value(draws: NDArray[np.int64], variance: Fraction, *, law: Law = law) -> float:
    """Chi-square of draws against the law; neighbouring values share one of about 60 cells."""
    values, probabilities = law(variance)
    expected = probabilities * len(draws)
    width = max(20.0, len(draws) / 60)
    group = np.minimum(np.cumsum(expected) // width, (len(draws) - width) // width)
    starts = np.flatnonzero(np.diff(group, prepend=-1.0))
    observed = np.bincount(np.clip(draws, values[0], values[-1]) - values[0], minlength=len(values))
    e, o = np.add.reduceat(expected, starts), np.add.reduceat(observed, starts)
    return float(stats.chi2.sf(((o - e) ** 2 / e).sum(), len(e) - 1))


@pytest.mark.parametrize("variance", VARIANCES, ids=str)
def test_draws_follow_the_discrete_gaussian(variance: Fraction) -> None:
    draws = discrete_gaussian(variance, DRAWS)
    assert draws.dtype == np.int64 and draws.shape == (DRAWS,)
    assert p_value(draws, variance) > ALPHA


@pytest.mark.parametrize("variance", VARIANCES[::3], ids=str)
def test_the_test_rejects_two_percent_more_noise(variance: Fraction) -> None:
    assert p_value(discrete_gaussian(variance * Fraction(102, 100) ** 2, DRAWS), variance) < ALPHA


@pytest.mark.parametrize("variance", VARIANCES[:2], ids=str)
def test_the_test_rejects_a_rounded_normal(variance: Fraction) -> None:
    rounded = np.rint(np.random.default_rng(1).normal(0, math.sqrt(variance), DRAWS)).astype(np.int64)
    assert p_value(rounded, variance) < ALPHA


def test_blocks_of_draws_are_independent() -> None:
    x = discrete_gaussian(Fraction(25), 8 * noise.BLOCK).reshape(8, -1)
    off_diagonal = np.corrcoef(x)[~np.eye(8, dtype=bool)]
    assert np.abs(off_diagonal).max() < stats.norm.isf(ALPHA / 56) / math.sqrt(noise.BLOCK)


@pytest.mark.parametrize("size", [0, 1, noise.BLOCK - 1, noise.BLOCK, noise.BLOCK + 1])
def test_every_size_is_served(size: int) -> None:
    assert discrete_gaussian(Fraction(4), size).shape == (size,)
    assert discrete_gaussian(Fraction(10**9), size).shape == (size,)
    assert rounded_gaussian(Fraction(4), size).shape == (size,)


@pytest.mark.parametrize("variance", [Fraction(0), Fraction(-1), Fraction(2) ** 105])
def test_impossible_variances_are_rejected(variance: Fraction) -> None:
    for draw in (discrete_gaussian, rounded_gaussian):
        with pytest.raises(ValueError, match="variance"):
            draw(variance, 1)


@pytest.mark.parametrize("bits", [63, 127])
@pytest.mark.parametrize("variance", [*VARIANCES, Fraction(1, 1000), Fraction(840**2)], ids=str)
def test_the_table_encloses_the_law(variance: Fraction, bits: int) -> None:
    low, slack = enclosed_cdf(variance, bits)
    assert 1 <= slack <= 3, "a loose table would still be sound, but slow"
    check_enclosure(low, slack, variance, bits)


def check_enclosure(low: list[int], slack: int, variance: Fraction, bits: int) -> None:
    """low[j] <= 2^bits * Pr[|X| <= j] <= low[j] + slack, by mpmath at four times the precision."""
    assert low == sorted(low)
    with mpmath.workprec(4 * bits):
        step = mpmath.mpf(variance.denominator) / (2 * variance.numerator)
        weights = [mpmath.exp(-k * k * step) for k in range(len(low) + 20 * math.isqrt(int(variance)) + 20)]
        total = weights[0] + 2 * mpmath.fsum(weights[1:])
        partial = -weights[0]
        for j, bound in enumerate(low):
            partial += 2 * weights[j]
            scaled = mpmath.ldexp(partial / total, bits)
            assert bound <= scaled <= bound + slack


def test_beyond_the_table_is_less_than_a_billionth_of_a_billionth() -> None:
    for variance in VARIANCES:
        low, slack = enclosed_cdf(variance, 63)
        assert (1 << 63) - low[-1] <= slack + 1


@pytest.mark.parametrize("bits", [8, 64, 300])
@pytest.mark.parametrize(
    "x", [Fraction(0), Fraction(1, 10**30), Fraction(1, 3), Fraction(1), Fraction(355, 113), Fraction(90)]
)
def test_the_exponential_is_enclosed(x: Fraction, bits: int) -> None:
    with mpmath.workprec(4 * bits + 200):
        exact = mpmath.ldexp(mpmath.exp(-mpmath.mpf(x.numerator) / x.denominator), bits)
    assert exp_below(x, bits) <= exact < exp_below(x, bits) + 2
    assert exp_below(Fraction(10**9), 64) == 0


class Script(Entropy):
    """Hands out chosen bytes first, then honest ones; counts what was asked for."""

    def __init__(self, *words: int, then: bytes = b"") -> None:
        self.left = b"".join(w.to_bytes(8, "little") for w in words) + then
        self.requested = 0

    def bytes(self, n: int) -> bytes:
        self.requested += n
        head, self.left = self.left[:n], self.left[n:]
        return head + os.urandom(n - len(head))


def exact_magnitude(u: int, bits: int, variance: Fraction) -> int:
    """How many values of Pr[|X| <= j] a number with these first bits exceeds, by mpmath."""
    with mpmath.workprec(bits + 200):
        step = mpmath.mpf(variance.denominator) / (2 * variance.numerator)
        weights = [mpmath.exp(-k * k * step) for k in range(60 * math.isqrt(int(variance) + 1) + 60)]
        total = weights[0] + 2 * mpmath.fsum(weights[1:])
        uniform, partial = mpmath.mpf(u) / mpmath.mpf(2) ** bits, weights[0]
        j = 0
        while partial / total <= uniform:
            j += 1
            partial += 2 * weights[j]
    return j


@pytest.mark.parametrize("variance", [Fraction(1, 4), Fraction(9, 2), Fraction(100)], ids=str)
@pytest.mark.parametrize("offset", [-1, 0, 1, 2])
def test_words_on_a_boundary_are_settled_by_more_bits(variance: Fraction, offset: int) -> None:
    low, slack = enclosed_cdf(variance, 63)
    for j in range(0, len(low), max(1, len(low) // 12)):
        word = min(low[j] + offset, (1 << 63) - 1)
        tail = os.urandom(8)
        entropy = Script(word << 1 | 1, then=tail)
        drawn = discrete_gaussian(variance, 1, entropy=entropy)[0]
        if 0 <= offset < slack or word >= low[-1]:
            assert entropy.requested > 8, "an undecided word must not be guessed"
        if entropy.requested == 16:
            word = word << 64 | int.from_bytes(tail, "little")
        if entropy.requested <= 16:
            assert -drawn == exact_magnitude(word, 63 if entropy.requested == 8 else 127, variance)


def test_a_number_on_a_boundary_of_the_second_table_gets_a_third() -> None:
    variance = Fraction(9, 2)
    low, _ = enclosed_cdf(variance, 127)
    word, rest = low[3] >> 64, low[3] & ((1 << 64) - 1)
    entropy = Script(word << 1, then=rest.to_bytes(8, "little"))
    assert discrete_gaussian(variance, 1, entropy=entropy)[0] in (3, 4)
    assert entropy.requested > 16


def test_the_extremes_of_the_first_word_are_served() -> None:
    assert discrete_gaussian(Fraction(4), 1, entropy=Script(0))[0] == 0
    far = discrete_gaussian(Fraction(4), 1, entropy=Script((1 << 64) - 1))[0]
    assert -24 < far < -16  # 2^-63 of the law's tail, at sigma 2


def test_the_sign_is_its_own_bit() -> None:
    words = [int.from_bytes(os.urandom(8), "little") | 1 for _ in range(200)]
    plus = discrete_gaussian(Fraction(400), 200, entropy=Script(*(w ^ 1 for w in words)))
    minus = discrete_gaussian(Fraction(400), 200, entropy=Script(*words))
    assert (plus == -minus).all() and (plus >= 0).all() and (plus > 0).any()


def wide_p_value(draws: NDArray[np.int64], sigma: float) -> float:
    """Chi-square against the continuous law in 60 cells, to which the discrete one is close at this sigma."""
    cdf = stats.norm.cdf((draws + 0.5) / sigma)
    counts = np.histogram(cdf, bins=60, range=(0, 1))[0]
    return float(stats.chisquare(counts).pvalue)


@pytest.mark.parametrize("sigma", [2.5e3, 4.0e4, 3.1e7])
def test_wide_noise_follows_its_law(sigma: float) -> None:
    draws = discrete_gaussian(Fraction(sigma) ** 2, 100_000)
    assert wide_p_value(draws, sigma) > ALPHA
    assert wide_p_value((draws * 1.04).astype(np.int64), sigma) < ALPHA


def test_wide_noise_has_no_dent_at_zero_and_uses_every_remainder() -> None:
    """The cell |x| < c holds the coarse draw 0, which a wrong treatment of signs would halve or double."""
    sigma = 5000.0
    draws = discrete_gaussian(Fraction(sigma) ** 2, 2_000_000)
    for below in (4, 8, 40, 400):
        share = 2 * stats.norm.cdf((below - 0.5) / sigma) - 1
        got = int((np.abs(draws) < below).sum())
        assert stats.binomtest(got, len(draws), share).pvalue > ALPHA
    low_bits = np.bincount(draws % 8, minlength=8)
    assert stats.chisquare(low_bits).pvalue > ALPHA
    assert stats.binomtest(int((draws > 0).sum()), int((draws != 0).sum())).pvalue > ALPHA


def test_close_acceptances_of_wide_noise_are_settled_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    requested = []
    monkeypatch.setattr(
        noise, "_is_below_exp", lambda u, bits, gamma, entropy: requested.append(gamma) or True
    )
    sigma, a, r = 5000, 10, 1
    shift = (sigma // noise.LARGEST_TABLE_SIGMA).bit_length()
    coarse = Fraction(sigma**2, 1 << 2 * shift)
    low, _ = enclosed_cdf(coarse, 63)
    gamma = Fraction(r * (2 * (a << shift) + r), 2 * sigma**2)
    close = exp_below(gamma, 64)
    first = [(low[a - 1] + low[a]) // 2 << 1] * 18
    remainder = [r << 64 - shift] * 18
    draws = discrete_gaussian(Fraction(sigma**2), 1, entropy=Script(*first, *remainder, *[close] * 18))
    assert requested and all(g == gamma for g in requested)
    assert draws[0] == (a << shift) + r


@pytest.mark.parametrize("gamma", [Fraction(0), Fraction(1, 7), Fraction(1), Fraction(5, 2)], ids=str)
def test_coins_land_with_their_exact_probability(gamma: Fraction) -> None:
    n = 20_000
    heads = sum(bernoulli_exp(gamma) for _ in range(n))
    assert stats.binomtest(heads, n, math.exp(-gamma)).pvalue > ALPHA


def test_a_coin_on_the_edge_gets_more_bits() -> None:
    gamma = Fraction(1, 3)
    edge = exp_below(gamma, 64)
    for fresh, expected in ((b"\x00" * 8, True), (b"\xff" * 8, False)):
        entropy = Script(edge, then=fresh)
        bits = int.from_bytes(fresh, "little") | edge << 64
        with mpmath.workprec(400):
            exact = bits < mpmath.ldexp(mpmath.exp(-mpmath.mpf(1) / 3), 128)
        landed = bernoulli_exp(gamma, entropy=entropy)
        assert entropy.requested >= 16 or landed == expected
        assert landed == exact
    assert not bernoulli_exp(gamma, entropy=Script(edge + 2))
    assert bernoulli_exp(gamma, entropy=Script(edge - 1))


def test_rehearsals_repeat_and_are_marked_and_the_system_does_neither() -> None:
    first, second, other = (discrete_gaussian(Fraction(99), 50, entropy=Rehearsal(s)) for s in (5, 5, 6))
    assert (first == second).all() and (first != other).any()
    again = Rehearsal(5)
    assert again.bytes(16) != again.bytes(16)
    assert Rehearsal(5).is_rehearsal and not noise.OS_ENTROPY.is_rehearsal
    assert (discrete_gaussian(Fraction(99), 50) != discrete_gaussian(Fraction(99), 50)).any()
    assert p_value(discrete_gaussian(Fraction(9), DRAWS, entropy=Rehearsal(7)), Fraction(9)) > ALPHA


@pytest.mark.parametrize("variance", VARIANCES, ids=str)
def test_draws_follow_the_rounded_gaussian(variance: Fraction) -> None:
    draws = rounded_gaussian(variance, DRAWS)
    assert draws.dtype == np.int64 and draws.shape == (DRAWS,)
    assert p_value(draws, variance, law=rounded_law) > ALPHA


def test_the_test_of_rounded_noise_rejects_a_skipped_acceptance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of half a sigma without the acceptance are a staircase; the usual fine ones would hide it."""
    monkeypatch.setattr(np, "exp", np.ones_like)
    monkeypatch.setattr(noise, "STEP_BITS", 1)
    monkeypatch.setattr(noise, "_STEPS", Fraction(4))
    draws = rounded_gaussian(Fraction(10_000), DRAWS)
    assert p_value(draws, Fraction(10_000), law=rounded_law) < ALPHA


@pytest.mark.parametrize("sigma", [2.5e3, 3.1e7, 1e12])
def test_wide_rounded_noise_follows_its_law(sigma: float) -> None:
    draws = rounded_gaussian(Fraction(sigma) ** 2, 100_000 if sigma < 1e9 else 3_000)
    assert wide_p_value(draws, sigma) > ALPHA
    assert wide_p_value((draws * 1.04).astype(np.int64), sigma) < ALPHA or sigma == 1e12
    assert wide_p_value((draws * 1.3).astype(np.int64), sigma) < ALPHA


@pytest.mark.parametrize("bits", [63, 127])
def test_the_table_of_steps_encloses_its_law(bits: int) -> None:
    low, slack = enclosed_cdf(noise._STEPS, bits, folded=False)
    assert low == sorted(low) and 1 <= slack <= 3
    with mpmath.workprec(4 * bits):
        weights = [mpmath.exp(-mpmath.mpf(k * k) / 2**13) for k in range(len(low) + 2000)]
        total, partial = mpmath.fsum(weights), mpmath.mpf(0)
        for j, bound in enumerate(low):
            partial += weights[j]
            assert bound <= mpmath.ldexp(partial / total, bits) <= bound + slack


def rounded_by_hand(steps: int, r: mpmath.mpf, u: mpmath.mpf, variance: Fraction) -> int | None:
    """The magnitude that a and these numbers in [0, 1) give in 300 bits, None if they are rejected."""
    sigma = mpmath.sqrt(mpmath.mpf(variance.numerator) / variance.denominator)
    if u >= mpmath.exp(-r * (2 * steps + r) / 2**13):
        return None
    return int(mpmath.floor(sigma * (steps + r) / 64 + mpmath.mpf(0.5)))


def scripted(steps: int, low32: int, high32: int, *, then: bytes = b"") -> tuple[Script, bytes]:
    """Entropy whose first draw of a batch has this a, r and uniform number, and is asked for more."""
    low, _ = enclosed_cdf(noise._STEPS, 63, folded=False)
    word = (low[steps] + (low[steps - 1] if steps else 0)) // 2 << 1
    more = then + os.urandom(64)
    return Script(*[word] * 9, high32 << 32 | low32, *[0] * 8, then=more), more


@pytest.mark.parametrize(
    "variance", [Fraction(1, 5), Fraction(9, 2), Fraction(10_001), Fraction(10**16 + 1)], ids=str
)
@pytest.mark.parametrize("integer", [1, 2, 3])
@pytest.mark.parametrize("offset", [-2, -1, 0, 1])
def test_a_draw_between_two_integers_gets_more_bits(variance: Fraction, integer: int, offset: int) -> None:
    with mpmath.workprec(300):
        sigma = mpmath.sqrt(mpmath.mpf(variance.numerator) / variance.denominator)
        place = 64 * (integer - mpmath.mpf(0.5)) / sigma
        steps = int(place)
        high = int((place - steps) * 2**32) + offset
        entropy, more = scripted(steps, 0, high)
        drawn = rounded_gaussian(variance, 1, entropy=entropy)[0]
        assert entropy.requested > 144 or offset, "an undecided draw must not be guessed"
        if entropy.requested <= 144 + 8:
            r = mpmath.mpf(high << 32 | int.from_bytes(more[:4], "little")) / 2**64
            if entropy.requested == 144:
                r = (high + mpmath.mpf(0.5)) / 2**32
            assert drawn == rounded_by_hand(steps, r, mpmath.mpf(0), variance)


@pytest.mark.parametrize("steps", [0, 1, 40, 300])
@pytest.mark.parametrize("offset", [-3, -1, 0, 1, 3])
def test_an_acceptance_on_the_edge_gets_more_bits(steps: int, offset: int) -> None:
    variance, high = Fraction(10_000), 3 << 30
    with mpmath.workprec(300):
        r = mpmath.mpf(high) / 2**32
        low = int(mpmath.exp(-r * (2 * steps + r) / 2**13) * 2**32) + offset
        entropy, more = scripted(steps, low, high)
        drawn = rounded_gaussian(variance, 1, entropy=entropy)[0]
        assert entropy.requested > 144 or offset, "an undecided acceptance must not be guessed"
        if entropy.requested <= 144 + 8:
            tail, tail_u = (
                (more[:4], more[4:8]) if entropy.requested > 144 else (b"\x80\0\0\0", b"\x80\0\0\0")
            )
            exact_r = mpmath.mpf(high << 32 | int.from_bytes(tail, "little")) / 2**64
            u = mpmath.mpf(low << 32 | int.from_bytes(tail_u, "little")) / 2**64
            by_hand = rounded_by_hand(steps, exact_r, u, variance)
            assert drawn == (
                rounded_by_hand(steps, mpmath.mpf(0), mpmath.mpf(0), variance) if by_hand is None else by_hand
            )


def test_exact_and_float_decisions_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bytes with every draw settled exactly give the same noise, where 32 bits were enough."""
    for sigma in (Fraction(1, 3), Fraction(7), Fraction(5000)):
        fast = rounded_gaussian(sigma**2, 400, entropy=Rehearsal(3))
        with monkeypatch.context() as patched:
            patched.setattr(noise, "FAR", 0)
            exact = rounded_gaussian(sigma**2, 400, entropy=Rehearsal(3))
        assert (fast == exact).all()


def test_the_sign_of_rounded_noise_is_its_own_bit() -> None:
    draws = rounded_gaussian(Fraction(100), DRAWS)
    assert stats.binomtest(int((draws > 0).sum()), int((draws != 0).sum())).pvalue > ALPHA


@pytest.mark.parametrize("variance", VARIANCES[::3], ids=str)
@pytest.mark.parametrize("factor", [Fraction(98, 100), Fraction(102, 100)], ids=str)
def test_the_test_of_rounded_noise_rejects_another_sigma(variance: Fraction, factor: Fraction) -> None:
    draws = rounded_gaussian(variance * factor**2, DRAWS)
    assert p_value(draws, variance, law=rounded_law) < ALPHA
