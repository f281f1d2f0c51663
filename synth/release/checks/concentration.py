"""How large a sum of absolute noises can be, for noise that is a *discrete* Gaussian or a *rounded* one.

The noise of a release is integer: Pr[Z = k] proportional to exp(-k^2 / (2 sigma^2)), unless said otherwise
(the end of this text has the rounded kind). Textbook concentration
(the L1 norm is Lipschitz, so a Gaussian's is within sigma sqrt(2 n ln(1/beta)) of its mean) rests on a
log-Sobolev inequality that lattice laws lack, so nothing here uses it. Two facts replace it,
both true for every real combination X = sum a_i Z_i of independent discrete Gaussians, with G normal of
variance s^2 = sum a_i^2 sigma_i^2:

 (1) E exp(tX) <= E exp(tG)                      (Canonne, Kamath, Steinke 2020: sub-Gaussian, proxy sigma^2);
 (2) E cos(uX) >= E cos(uG) > 0. By Poisson summation the characteristic function of Z is
     sum_j exp(-sigma^2 (u - 2 pi j)^2 / 2) / sum_j exp(-sigma^2 (2 pi j)^2 / 2); with j and -j paired its
     numerator is exp(-sigma^2 u^2 / 2) sum_j cosh(2 pi j sigma^2 u) exp(-sigma^2 (2 pi j)^2 / 2), cosh >= 1.

Since exp(t|x|) = 2 cosh(tx) - exp(-t|x|) and exp(-t|x|) is an average of cos(ux) over a Cauchy u, they give

 (3) E exp(t|X|) <= E exp(t|G|) = 2 exp(t^2 s^2 / 2) Phi(ts)      for every t >= 0 and every s.

So a sum of n independent |X_i| obeys the Chernoff bound of folded normals (`l1_radius`), which is below the
Lipschitz bound sqrt(2/pi) n s + s sqrt(2 n ln(1/beta)), itself below the sqrt(2 ln 2) of AIM's Theorem 2.
Where cells are dependent (least squares) and few, a union over signs needs (1) only (`sign_radius`).

A rounded Gaussian W = round(N), N normal of variance sigma^2, obeys (1) and (2), hence (3), with the variance
v = `rounded_proxy(sigma^2)` in the place of sigma^2. Pr[W = k] is the density of N + U at k, U uniform on
[-1/2, 1/2], so with M(u) = exp(sigma^2 u^2 / 2) sinh(u / 2) / (u / 2) Poisson summation gives
E exp(uW) = sum_j M(u - 2 pi i j), and sinh(u / 2 - pi i j) = (-1)^j sinh(u / 2).
 (1) Against M(u) the terms j and -j are together at most 2 exp(-2 pi^2 j^2 sigma^2) (u / 2) (u / 2 + pi j
     |sin(2 pi j sigma^2 u)|) / (u^2 / 4 + pi^2 j^2) <= u^2 k_j, k_j = 2 exp(-2 pi^2 j^2 sigma^2) (sigma^2 +
     1 / (4 pi^2 j^2)). With sinh(x) <= x exp(x^2 / 6): E exp(uW) <= exp(u^2 (sigma^2 + 1/12 + 2 k) / 2),
     k = sum_j k_j.
 (2) As E cos(uW) has period 2 pi, let 0 <= u <= pi. There the terms of j and -j are (-1)^(j+1) D_j with D_j
     > 0 falling in j: D_j = sin(u / 2) exp(-2 pi sigma^2 j (pi j - u)) (a_j + b_j), a_j = u / (pi^2 j^2 -
     u^2 / 4), b_j = (1 - exp(-4 pi sigma^2 u j)) / (pi j + u / 2); a_j falls as 1 / j^2 or faster, b_j grows
     by a part 1 / (2 j (j + 1)) at most, and the exponential falls by exp(-4 pi^2 sigma^2 j) or more, which
     makes up for that unless sigma^2 < 1 / (8 pi^2 j^2 (j + 1)), and then b_j <= 4 sigma^2 u < a_j / (2 (j +
     1)). So they add up to something positive, and E cos(uW) >= exp(-sigma^2 u^2 / 2) sin(u / 2) / (u / 2)
     >= exp(-(sigma^2 + w) u^2 / 2), w = 2 ln(pi / 2) / pi^2, since -ln(sin(x) / x) / x^2 grows up to pi / 2.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from synth.core.accounting import Noise
from synth.core.measurements.noisy import Measurement

LARGEST_SIGN_TABLE = 10
"""Largest number of cells for which all 2^(n-1) sign patterns are tried."""

LARGEST_TABULATED_SIGMA = 1e5

TERMS = 40
"""Number of terms of the series for the variance of rounded noise. An integral bounds the rest."""


def rounded_proxy(variance: float) -> float:
    """Return v of the text above for a rounded normal number of this variance. It is 0.8% above
    `rounded_variance` at 1, and less for larger variances.
    """
    beyond = math.exp(-2.0 * (math.pi * TERMS) ** 2 * variance) / (TERMS * math.pi**2)
    loss = beyond + float(_series(variance).sum())
    return variance + max(2.0 * math.log(math.pi / 2.0) / math.pi**2, 1.0 / 12.0 + 2.0 * loss)


def rounded_variance(variance: float) -> float:
    """Return the variance of round(N) for a normal N of this variance: the same series with alternating
    signs.
    """
    signs = np.where(np.arange(1, TERMS + 1) % 2, -2.0, 2.0)
    return max(0.0, variance + 1.0 / 12.0 + float((signs * _series(variance)).sum()))


def _series(variance: float) -> NDArray[np.float64]:
    """Return k_1, k_2, ... of the text above."""
    j = np.arange(1, TERMS + 1)
    squares = 2.0 * (math.pi * j) ** 2
    return np.asarray(2.0 * np.exp(-squares * variance) * (variance + 0.5 / squares))


def discrete_variance(variance: float) -> float:
    """Return the variance of a discrete Gaussian of this parameter, which is also its proxy: at most the
    parameter.
    """
    return variance


PROXIES = {Noise.DISCRETE: discrete_variance, Noise.ROUNDED: rounded_proxy}
VARIANCES = {Noise.DISCRETE: discrete_variance, Noise.ROUNDED: rounded_variance}
"""The variance function of each kind of noise."""


def proxy_of(measurement: Measurement) -> float:
    """Return the variance that replaces sigma^2 in (1) to (3) for the noise of a measurement, in counts
    squared per cell.
    """
    return PROXIES[measurement.law.noise](float(measurement.variance))


def folded_constant(slack: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return c(k) = min_t (ln E exp(t|G|) + k) / t for standard normal G. Any t gives a valid bound, so a
    rough search is enough.

    Shapes: elementwise. c(k) tends to sqrt(2/pi) as k -> 0 and lies below sqrt(2/pi) + sqrt(2k) throughout.
    """
    low, high = np.full_like(slack, 1e-12), 2.0 + 2.0 * np.sqrt(2.0 * slack)
    for _ in range(50):
        t = (low + high) / 2.0
        below = _normal_cdf(t)
        mills = np.exp(-t * t / 2.0) / (below * math.sqrt(2.0 * math.pi))
        rising = t * (t + mills) > t * t / 2.0 + np.log(2.0 * below) + slack
        low, high = np.where(rising, low, t), np.where(rising, t, high)
    return np.asarray((high * high / 2.0 + np.log(2.0 * _normal_cdf(high)) + slack) / high)


def _normal_cdf(t: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([0.5 * math.erfc(-x / math.sqrt(2.0)) for x in t.ravel()]).reshape(t.shape)


def l1_radius(cells: NDArray[np.int64], variance: NDArray[np.float64], *, beta: float) -> NDArray[np.float64]:
    """Return u with Pr[sum of `cells` independent |X_i| >= u] <= beta, where each X_i has the proxy
    `variance`.

    Shapes: elementwise. Units: counts. From (3) above.
    """
    return np.asarray(cells * np.sqrt(variance) * folded_constant(math.log(1.0 / beta) / cells))


def euclidean_radius(cells: int, trace: float, eigenvalue: float, *, beta: float) -> float:
    """Return u with Pr[||e||_1 >= u] <= beta for a linear image e of discrete Gaussians in so many cells,
    whose proxy covariance C has this trace and largest eigenvalue lambda.

    e is sub-Gaussian in every direction by (1). So ||e||^2 exceeds trace + 2 sqrt(trace(C^2) k) + 2 lambda k
    with probability at most exp(-k) (Hsu, Kakade, Zhang 2012, Theorem 1). trace(C^2) is at most lambda trace,
    and ||e||_1 at most sqrt(cells) ||e||.
    """
    slack = math.log(1.0 / beta)
    squares = trace + 2.0 * math.sqrt(eigenvalue * trace * slack) + 2.0 * eigenvalue * slack
    return math.sqrt(cells * squares)


def sign_radius(covariance: NDArray[np.float64], *, beta: float) -> float:
    """Return u with Pr[||e||_1 >= u] <= beta for a linear image e of discrete Gaussians with this proxy
    covariance.

    ||e||_1 is the largest <s, e> over sign vectors s, each sub-Gaussian with proxy s' C s. So the probability
    is at most sum_s exp(-u^2 / (2 s' C s)), which is solved for u. The bound is tight if few sign patterns
    have most of the noise.
    """
    signs = _signs(len(covariance))
    spread = np.maximum(((signs @ covariance) * signs).sum(axis=1), 1e-300)
    low, high = 0.0, math.sqrt(2.0 * float(spread.max()) * math.log(2.0 * len(signs) / beta))
    for _ in range(50):
        u = (low + high) / 2.0
        if 2.0 * np.exp(-u * u / (2.0 * spread)).sum() > beta:
            low = u
        else:
            high = u
    return high


@lru_cache(maxsize=LARGEST_SIGN_TABLE)
def _signs(cells: int) -> NDArray[np.float64]:
    """Return every sign pattern up to a global sign. Shapes: float64[2^(cells-1), cells]."""
    return np.array([(1.0, *rest) for rest in product((1.0, -1.0), repeat=cells - 1)])


def shift_bound(gap: float, *, cells: int, sigma: float, beta: float) -> float:
    """Return b such that Pr[||mu||_1 > b] <= beta when gap = ||mu + Z||_1, mu is fixed and Z is discrete
    Gaussian in each cell.

    It applies to what is measured after a selection. Runs with rounded noise make no selections.

    AIM's Theorem 2 (appendix B) gives gap + sigma sqrt(2 n ln(1/beta)), which counts the noise in full. But
    |mu + Z| exceeds |mu| on average, which allows a smaller bound: with G(m) = -ln E exp(-t|m + Z|) / t,
    Chernoff gives sum G(mu_i) <= gap + ln(1/beta) / t. At integer m the E exp(-t|m + Z|) are log-concave (a
    convolution of log-concave sequences), between integers log-convex. So the polygon through the integer m
    is a convex lower bound of G, and by Jensen the mean of |mu_i| is at most the inverse of the polygon at
    (gap + ln(1/beta) / t) / n. This is exact for lattice noise, without a Gaussian approximation. The plain
    bound follows from the same event (E exp(-t|m + Z|) <= exp(-tm + t^2 sigma^2 / 2)), so the smaller of the
    two can be used. Units: counts. `t` depends on n, sigma and beta only.
    """
    slack = math.log(1.0 / beta)
    t = math.sqrt(2.0 * slack / cells) / sigma
    plain = gap + sigma * math.sqrt(2.0 * cells * slack)
    if sigma > LARGEST_TABULATED_SIGMA or slack > 50.0 * cells:
        return plain
    floor = _soft_absolute(sigma, t)
    target = (gap + slack / t) / cells
    if target <= floor[0]:
        return 0.0
    if target >= floor[-1]:
        mean = len(floor) - 1 + (target - floor[-1]) / (floor[-1] - floor[-2])
    else:
        mean = float(np.interp(target, floor, np.arange(len(floor))))
    return float(min(plain, cells * mean))


def _soft_absolute(sigma: float, t: float) -> NDArray[np.float64]:
    """Return -ln E exp(-t|m + Z|) / t at m = 0, 1, ... up to about 8 sigma. Terms beyond 14 sigma (1e-42) are
    dropped.
    """
    reach, last = math.ceil(14.0 * sigma) + 2, math.ceil(8.0 * sigma) + 2
    k = np.arange(-reach, reach + 1)
    weights = np.exp(-np.square(k) / (2.0 * sigma * sigma))
    weights /= weights.sum()
    upto = np.cumsum(weights * np.exp(t * k)) * np.exp(-t * k)
    after = np.cumsum((weights * np.exp(-t * k))[::-1])[::-1] * np.exp(t * k) - weights
    mean = (upto + after)[reach : reach + last + 1]
    return np.asarray(-np.log(mean) / t)


def tail(sigma: float, *, beta: float) -> float:
    """Return t with Pr[Z <= -t] <= beta for a discrete Gaussian Z of parameter sigma^2. From (1)."""
    return sigma * math.sqrt(2.0 * math.log(1.0 / beta))
