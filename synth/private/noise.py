"""Draw exact privacy noise. No other module draws noise.

All samplers use lazy inversion. A uniform number U in [0, 1) is revealed bit by bit and compared with numbers
that lie between known integers, 2^bits * F in [low, low + slack]. If the revealed bits do not decide a
comparison, more bits and tighter bounds are used. Rounding never decides a comparison, so the distributions
below are exact, given perfect random bits. The time of a draw depends on the noise and never on the data,
because the noise is drawn before the counts are known.

Discrete Gaussian: Canonne, Kamath, Steinke (2020), Definition 1. Deviation: the paper uses rejection from a
discrete Laplace distribution, which takes microseconds per draw. A draw from the table used here takes tens
of nanoseconds.

Rounded Gaussian: a normal number rounded to the nearest integer. A count is an integer, so count + round(Z)
equals round(count + Z), which is post-processing of the Gaussian mechanism. So all exact results for that
mechanism (Dong, Roth, Su 2022, Theorem 1) are valid here. They are not proved for the discrete Gaussian.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import isqrt, sqrt

import numpy as np
from numpy.typing import NDArray

from synth.core.accounting import Law, Noise
from synth.private.entropy import OS_ENTROPY, Entropy

WORD_BITS = 63  # one 64-bit word holds a sign and 63 bits of U
GUARD_BITS = 64  # extra bits of the table's recurrence; any value is sound, the slack accounts for it
LARGEST_TABLE_SIGMA = 2048
LARGEST_SIGMA = 1 << 52
BLOCK = 1 << 15  # draws made at a time, which fit into the cache of a core
STEP_BITS = 6  # the standard normal is cut into steps of 2^-6
FAR = 1 << 11  # steps beyond which floats are not used for decisions: 32 sigmas


def exp_below(x: Fraction, bits: int) -> int:
    """Return an integer v with v <= 2^bits * exp(-x) < v + 2, for x >= 0.

    It is computed by the alternating series of exp(-y), y = x / 2^h < 1/128, followed by h squarings. The
    error of a term is less than 2 units of 2^-work, and the error of the series is less than 4 * work units:
    it has fewer than `work` terms, and the remainder is smaller than the last term. Squaring a number of at
    most 1 doubles the error and adds one. The total error is below 2^(h + 32) units, which are subtracted.
    """
    if x < 0:
        raise ValueError("exp_below needs x >= 0")
    halvings = (x.numerator // x.denominator).bit_length() + 7
    work = bits + halvings + 64
    y = (x.numerator << work) // (x.denominator << halvings)
    total = term = 1 << work
    n = 0
    while term:
        n += 1
        term = (term * y >> work) // n
        total += -term if n % 2 else term
    for _ in range(halvings):
        total = total * total >> work
    return max(0, (total - (1 << halvings + 32)) >> (halvings + 64))


def bernoulli_exp(gamma: Fraction, *, entropy: Entropy = OS_ENTROPY) -> bool:
    """Return True with probability exactly exp(-gamma), for a rational gamma >= 0.

    Deviation from Canonne, Kamath, Steinke (2020), Algorithm 1: lazy inversion instead of a chain of rational
    coins.
    """
    return _is_below_exp(int.from_bytes(entropy.bytes(8), "little"), 64, gamma, entropy)


def _is_below_exp(u: int, bits: int, gamma: Fraction, entropy: Entropy) -> bool:
    """Whether U < exp(-gamma), for a U whose first `bits` bits are u."""
    while True:
        low = exp_below(gamma, bits)
        if u < low:
            return True
        if u >= low + 2:
            return False
        u, bits = _with_more_bits(u, bits, entropy)


def _with_more_bits(u: int, bits: int, entropy: Entropy) -> tuple[int, int]:
    """Reveal more bits of U, which at least doubles their number."""
    fresh = (bits + 7) // 8
    return u << 8 * fresh | int.from_bytes(entropy.bytes(fresh), "little"), bits + 8 * fresh


def enclosed_cdf(variance: Fraction, bits: int, *, folded: bool = True) -> tuple[list[int], int]:
    """Return bounds on the distribution of |X|: low[j] <= 2^bits * Pr[|X| <= j] <= low[j] + slack, with
    non-decreasing `low`.

    If `folded` is false, these are bounds on the distribution of X given X >= 0, in which zero has its full
    weight and not half of it.

    With q = exp(-1/(2 variance)) the weights w_k = exp(-k^2/(2 variance)) obey w_{k+1} = w_k * r_k and
    r_{k+1} = r_k * q^2, r_0 = q. All are integers in units of 2^-p, always rounded down. No factor exceeds 1,
    so the errors are at most: q 2, q^2 5, r_k 6 k + 2, w_k 3 k^2. The omitted weights, starting at w_K, are
    bounded by a geometric series and sum to at most w_K / (1 - r_K).
    """
    p = bits + GUARD_BITS
    ratio = exp_below(1 / (2 * variance), p)
    square = ratio * ratio >> p
    weight, partial, sums = 1 << p, -(1 << p) if folded else 0, []
    while weight >> GUARD_BITS - 20:
        partial += 2 * weight
        sums.append(partial)
        weight = weight * ratio >> p
        ratio = ratio * square >> p
    terms = len(sums)
    error = 3 * (terms + 1) ** 2
    left_out = 2 * (weight + error) * (1 << p) // max(1, (1 << p) - ratio - 3 * (2 * terms + 1)) + 1
    loss = 2 * terms * error
    upper = partial + loss + left_out
    slack = ((2 * loss + left_out) << bits) // partial + 2
    return [(s << bits) // upper for s in sums], slack


def _check_variance(variance: Fraction) -> None:
    if not 0 < variance <= LARGEST_SIGMA**2:
        raise ValueError("the variance of noise must be above 0 and at most 2^104")


@lru_cache(maxsize=64)
def _word_table(variance: Fraction, *, folded: bool = True) -> tuple[NDArray[np.uint64], int]:
    low, slack = enclosed_cdf(variance, WORD_BITS, folded=folded)
    return np.array(low, dtype=np.uint64), slack


def discrete_gaussian(variance: Fraction, size: int, *, entropy: Entropy = OS_ENTROPY) -> NDArray[np.int64]:
    """Draw `size` independent X with Pr[X = k] proportional to exp(-k^2 / (2 variance)), exactly.

    Shapes: int64[size], in counts. `variance` is the parameter of the distribution. The variance of X differs
    from it by 3e-7 at 1 and by at most 1e-8 from 1.2 upwards, and is smaller below 1.
    """
    _check_variance(variance)
    draw = _wide_gaussian if variance > LARGEST_TABLE_SIGMA**2 else _table_gaussian
    noise = np.empty(size, dtype=np.int64)
    for start in range(0, size, BLOCK):
        block = noise[start : start + BLOCK]
        block[:] = draw(variance, len(block), entropy)
    return noise


def _table_gaussian(variance: Fraction, size: int, entropy: Entropy) -> NDArray[np.int64]:
    words = np.frombuffer(entropy.bytes(8 * size), dtype="<u8")
    count = _inverted(words, _word_table(variance), lambda u: _resolve(u, variance, entropy))
    return np.where(words & np.uint64(1), -count, count)


def _inverted(
    words: NDArray[np.uint64], table: tuple[NDArray[np.uint64], int], resolve: Callable[[int], int]
) -> NDArray[np.int64]:
    """Return the magnitude for the U of each word, which consists of all bits except the last.

    `resolve` decides words for which the table is not precise enough.
    """
    low, slack = table
    u = words >> np.uint64(1)
    count = np.searchsorted(low, u, side="right")
    undecided = (u - low[count - 1] < np.uint64(slack)) & (count > 0) | (count == len(low))
    for i in np.flatnonzero(undecided):
        count[i] = resolve(int(u[i]))
    return count


def _resolve(u: int, variance: Fraction, entropy: Entropy, *, folded: bool = True) -> int:
    """Return the magnitude for a U whose first bits do not determine it, by revealing more bits."""
    bits = WORD_BITS
    while True:
        u, bits = _with_more_bits(u, bits, entropy)
        low, slack = enclosed_cdf(variance, bits, folded=folded)
        count = bisect_right(low, u)
        if count < len(low) and (count == 0 or u - low[count - 1] >= slack):
            return count


def _wide_gaussian(variance: Fraction, size: int, entropy: Entropy) -> NDArray[np.int64]:
    """Draw from the same distribution for any sigma: a coarse draw, a uniform remainder, and exact acceptance
    (Karney 2016).

    |X| = c a + r: a is drawn from the distribution with variance / c^2 restricted to a >= 0, r is uniform
    below c = 2^b, and the pair is accepted with probability exp(-r (2 c a + r) / (2 variance)), which is
    0.999 on average. A negative zero is rejected. Floats decide acceptance only if it is farther than 2^-40
    from the boundary; otherwise exact arithmetic decides.
    """
    shift = (isqrt(int(variance)) // LARGEST_TABLE_SIGMA).bit_length()
    coarse = variance / (1 << 2 * shift)
    parts: list[NDArray[np.int64]] = []
    missing = size
    while missing > 0:
        signed = _table_gaussian(coarse, 2 * missing + 16, entropy)
        base = signed[signed >= 0] << shift
        words = np.frombuffer(entropy.bytes(16 * len(base)), dtype="<u8").reshape(2, -1)
        remainder = (words[0] >> np.uint64(64 - shift)).astype(np.int64)
        is_negative = words[0] & np.uint64(1) == 1
        magnitude = base + remainder
        exponent = remainder.astype(np.float64) * (base + magnitude) / float(2 * variance)
        gap = words[1] * 2.0**-64 - np.exp(-exponent)
        accepted = gap < 0
        for i in np.flatnonzero(np.abs(gap) < 2.0**-40):
            gamma = int(remainder[i]) * int(base[i] + magnitude[i]) / (2 * variance)
            accepted[i] = _is_below_exp(int(words[1][i]), 64, gamma, entropy)
        accepted &= ~(is_negative & (magnitude == 0))
        parts.append(np.where(is_negative, -magnitude, magnitude)[accepted][:missing])
        missing -= len(parts[-1])
    return np.concatenate(parts)


def rounded_gaussian(variance: Fraction, size: int, *, entropy: Entropy = OS_ENTROPY) -> NDArray[np.int64]:
    """Draw `size` independent X = round(Z), exactly, where Z is normal with mean 0 and this variance.

    Shapes: int64[size], in counts. The variance of X is `variance` + 1/12, with an error of 1e-7 from
    `variance` 1 upwards.

    |Z| / sigma = h (a + r) with h = 2^-STEP_BITS, a whole and 0 <= r < 1: a comes from the distribution with
    weights exp(-h^2 a^2 / 2); r is uniform and accepted with probability exp(-h^2 r (2a + r) / 2), which is
    0.994 on average (Karney 2016). The product of the three densities is the normal density. All values of
    sigma use the same table. X needs only the bits of r that determine the nearest integer: 32 bits for
    nearly every draw with a usual sigma.
    """
    _check_variance(variance)
    noise = np.empty(size, dtype=np.int64)
    for start in range(0, size, BLOCK):
        block = noise[start : start + BLOCK]
        block[:] = _rounded_block(variance, len(block), entropy)
    return noise


_STEPS = Fraction(1 << 2 * STEP_BITS)
"""The variance of a standard normal number, in squared steps."""


def _rounded_block(variance: Fraction, size: int, entropy: Entropy) -> NDArray[np.int64]:
    """Draw a block of numbers.

    Floats decide only if the difference exceeds their error. Otherwise, exact arithmetic decides.

    Acceptance: r and the uniform number are known to 2^-32. As a < FAR, the first changes the probability by
    less than 2^-33, and floats have an error of less than 2^-49. So a gap of 2^-31 is safe. Nearest integer:
    the relative error of sigma and of the product is below 2^-50, and that of r is sigma h 2^-32.
    """
    step = sqrt(variance) * 2.0**-STEP_BITS
    parts: list[NDArray[np.int64]] = []
    missing = size
    while missing > 0:
        words = np.frombuffer(entropy.bytes(16 * (missing + missing // 64 + 8)), dtype="<u8").reshape(2, -1)
        table = _word_table(_STEPS, folded=False)
        steps = _inverted(words[0], table, lambda u: _resolve(u, _STEPS, entropy, folded=False))
        remainder = (words[1] >> np.uint64(32)) * 2.0**-32
        place = steps + remainder
        gap = (words[1] & np.uint64(2**32 - 1)) * 2.0**-32
        gap -= np.exp(remainder * (steps + place) * -(2.0 ** (-2 * STEP_BITS - 1)))
        size_of_it = place * step + 0.5
        magnitude = np.floor(size_of_it)
        reach = size_of_it * 2.0**-50 + step * 2.0**-31
        over = size_of_it - magnitude
        undecided = (np.abs(gap) < 2.0**-31) | (over < reach) | (over > 1 - reach) | (steps >= FAR)
        accepted, found = gap < 0, magnitude.astype(np.int64)
        for i in np.flatnonzero(undecided):
            r, u = divmod(int(words[1][i]), 1 << 32)
            exact = _settled(int(steps[i]), r, u, variance, entropy)
            accepted[i], found[i] = exact is not None, exact or 0
        parts.append(np.where(words[0] & np.uint64(1), -found, found)[accepted][:missing])
        missing -= len(parts[-1])
    return np.concatenate(parts)


def _settled(steps: int, r: int, u: int, variance: Fraction, entropy: Entropy) -> int | None:
    """Return the magnitude of a draw, or None if it is rejected.

    Its r and its uniform number begin with these 32 bits.
    """
    bits = 32
    while True:
        if u + 1 <= exp_below(_falling_off(steps, r + 1, bits), bits):
            nearest = _nearest(steps, r, bits, variance)
            if nearest == _nearest(steps, r + 1, bits, variance):
                return nearest
        elif u >= exp_below(_falling_off(steps, r, bits), bits) + 2:
            return None
        (r, _), (u, bits) = _with_more_bits(r, bits, entropy), _with_more_bits(u, bits, entropy)


def _falling_off(steps: int, r: int, bits: int) -> Fraction:
    """Return h^2 r (2a + r) / 2 for r in units of 2^-bits. It increases with r."""
    return Fraction(r * ((steps << bits + 1) + r), 1 << 2 * bits + 2 * STEP_BITS + 1)


def _nearest(steps: int, r: int, bits: int, variance: Fraction) -> int:
    """Return floor(x + 1/2) for x = sigma h (a + r), computed from floor(2 x). It increases with r."""
    place = (steps << bits) + r
    square = 4 * variance.numerator * place**2 // (variance.denominator << 2 * (bits + STEP_BITS))
    return (isqrt(square) + 1) // 2


SAMPLERS = {Noise.DISCRETE: discrete_gaussian, Noise.ROUNDED: rounded_gaussian}


def noise_of(law: Law, variance: Fraction, size: int, *, entropy: Entropy = OS_ENTROPY) -> NDArray[np.int64]:
    """Draw exact integer noise for the results of a run. Shapes: int64[size].

    If all queries are Gaussian, the noise is a normal number rounded to the nearest integer, so that the sums
    of mu^2 = change^2 / sigma^2 are exact. Otherwise, it is a discrete Gaussian number, which has the same
    cost rho = change^2 / (2 sigma^2) in zCDP (Canonne et al. 2020), with less noise if sigma is small.
    """
    return SAMPLERS[law.noise](variance, size, entropy=entropy)
