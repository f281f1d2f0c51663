"""Bound the sum of absolute values of *discrete* or *rounded* Gaussian noise.

The noise of a release is an integer with Pr[Z = k] proportional to exp(-k^2 / (2 sigma^2)), except for
rounded noise, which is covered at the end of this text. Textbook concentration bounds (the L1 norm is
Lipschitz, so the L1 norm of a Gaussian vector is within sigma sqrt(2 n ln(1/beta)) of its mean) rely on a
log-Sobolev inequality. Lattice distributions do not satisfy it, so these bounds are not used here. Instead,
two facts are used. Both are true for every real combination X = sum a_i Z_i of independent discrete
Gaussians, where G is normal with variance s^2 = sum a_i^2 sigma_i^2:

 (1) E exp(tX) <= E exp(tG)                      (Canonne, Kamath, Steinke 2020: sub-Gaussian, proxy sigma^2);
 (2) E cos(uX) >= E cos(uG) > 0. By Poisson summation the characteristic function of Z is
     sum_j exp(-sigma^2 (u - 2 pi j)^2 / 2) / sum_j exp(-sigma^2 (2 pi j)^2 / 2). With j and -j paired, the
     numerator is exp(-sigma^2 u^2 / 2) sum_j cosh(2 pi j sigma^2 u) exp(-sigma^2 (2 pi j)^2 / 2), and
     cosh >= 1.

We have exp(t|x|) = 2 cosh(tx) - exp(-t|x|), and exp(-t|x|) is an average of cos(ux) over a Cauchy variable u.
Together with (1) and (2) this gives

 (3) E exp(t|X|) <= E exp(t|G|) = 2 exp(t^2 s^2 / 2) Phi(ts)      for every t >= 0 and every s.

So a sum of n independent |X_i| satisfies the Chernoff bound of folded normals (`l1_radius`). This bound is
below the Lipschitz bound sqrt(2/pi) n s + s sqrt(2 n ln(1/beta)), which is itself below the bound with sqrt(2
ln 2) of AIM's Theorem 2. If the cells are dependent (least squares) and few, a union bound over signs is
used, which only needs (1) (`sign_radius`).

A rounded Gaussian W = round(N), where N is normal with variance sigma^2, satisfies (1) and (2), and hence
(3), if the variance v = `rounded_proxy(sigma^2)` replaces sigma^2. Pr[W = k] is the density of N + U at k,
where U is uniform on [-1/2, 1/2]. So with M(u) = exp(sigma^2 u^2 / 2) sinh(u / 2) / (u / 2), Poisson
summation gives E exp(uW) = sum_j M(u - 2 pi i j), and sinh(u / 2 - pi i j) = (-1)^j sinh(u / 2).

 (1) Relative to M(u), the terms j and -j are together at most 2 exp(-2 pi^2 j^2 sigma^2) (u / 2) (u / 2 + pi
     j |sin(2 pi j sigma^2 u)|) / (u^2 / 4 + pi^2 j^2) <= u^2 k_j, k_j = 2 exp(-2 pi^2 j^2 sigma^2) (sigma^2 +
     1 / (4 pi^2 j^2)). With sinh(x) <= x exp(x^2 / 6): E exp(uW) <= exp(u^2 (sigma^2 + 1/12 + 2 k) / 2),
     k = sum_j k_j.
 (2) As E cos(uW) has period 2 pi, let 0 <= u <= pi. There the terms of j and -j are (-1)^(j+1) D_j, where
     D_j > 0 decreases in j: D_j = sin(u / 2) exp(-2 pi sigma^2 j (pi j - u)) (a_j + b_j), a_j = u / (pi^2 j^2
     - u^2 / 4), b_j = (1 - exp(-4 pi sigma^2 u j)) / (pi j + u / 2). a_j decreases as 1 / j^2 or faster, b_j
     increases by a part 1 / (2 j (j + 1)) at most, and the exponential decreases by exp(-4 pi^2 sigma^2 j) or
     more. The last factor offsets the increase of b_j unless sigma^2 < 1 / (8 pi^2 j^2 (j + 1)), and then
     b_j <= 4 sigma^2 u < a_j / (2 (j + 1)). So the sum of the terms is positive, and E cos(uW) >=
     exp(-sigma^2 u^2 / 2) sin(u / 2) / (u / 2) >= exp(-(sigma^2 + w) u^2 / 2), w = 2 ln(pi / 2) / pi^2, since
     -ln(sin(x) / x) / x^2 increases up to pi / 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from synth.core.accounting import Noise
from synth.core.measurements.noisy import Measurement

LARGEST_SIGN_TABLE = 10
"""Maximum number of cells n for which all 2^(n-1) sign patterns are tried."""

LARGEST_TABULATED_SIGMA = 1e5

TERMS = 40
"""Number of terms of the series for the variance of rounded noise. The remainder is bounded by an
integral.
"""


@lru_cache(maxsize=1024)
def rounded_proxy(variance: float) -> float:
    """Return the proxy variance v of rounded normal noise of this variance (see the module docstring).

    v is 0.8% above `rounded_variance` at variance 1, and closer to it for larger variances.
    """
    beyond = math.exp(-2.0 * (math.pi * TERMS) ** 2 * variance) / (TERMS * math.pi**2)
    loss = beyond + float(_series(variance).sum())
    return variance + max(2.0 * math.log(math.pi / 2.0) / math.pi**2, 1.0 / 12.0 + 2.0 * loss)


@lru_cache(maxsize=1024)
def rounded_variance(variance: float) -> float:
    """Return the variance of round(N) for a normal N of this variance.

    The series is the same as in `rounded_proxy`, but with alternating signs.
    """
    signs = np.where(np.arange(1, TERMS + 1) % 2, -2.0, 2.0)
    return max(0.0, variance + 1.0 / 12.0 + float((signs * _series(variance)).sum()))


def _series(variance: float) -> NDArray[np.float64]:
    """Return the terms k_1, k_2, ... defined in the module docstring."""
    j = np.arange(1, TERMS + 1)
    squares = 2.0 * (math.pi * j) ** 2
    return np.asarray(2.0 * np.exp(-squares * variance) * (variance + 0.5 / squares))


def discrete_variance(variance: float) -> float:
    """Return the variance of a discrete Gaussian with parameter sigma^2. It is at most sigma^2."""
    return variance


PROXIES: dict[Noise, Callable[[float], float]] = {
    Noise.DISCRETE: discrete_variance,
    Noise.ROUNDED: rounded_proxy,
}
VARIANCES: dict[Noise, Callable[[float], float]] = {
    Noise.DISCRETE: discrete_variance,
    Noise.ROUNDED: rounded_variance,
}
"""The variance function of each kind of noise."""


def proxy_of(measurement: Measurement) -> float:
    """Return the variance that replaces sigma^2 in (1) to (3) for the noise of a measurement.

    Units: counts squared per cell.
    """
    return PROXIES[measurement.law.noise](float(measurement.variance))


def folded_constant(slack: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return c(k) = min_t (ln E exp(t|G|) + k) / t for standard normal G.

    Any t gives a valid bound, so an approximate search is enough. c(k) tends to sqrt(2/pi) as k -> 0 and is
    always below sqrt(2/pi) + sqrt(2k). Shapes: elementwise.
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

    It follows from (3) of the module docstring. Shapes: elementwise. Units: counts.
    """
    return np.asarray(cells * np.sqrt(variance) * folded_constant(math.log(1.0 / beta) / cells))


def euclidean_radius(cells: int, trace: float, eigenvalue: float, *, beta: float) -> float:
    """Return u with Pr[||e||_1 >= u] <= beta for a linear image e of discrete Gaussians.

    e has `cells` cells, and its proxy covariance C has the given trace and largest eigenvalue lambda. By (1),
    e is sub-Gaussian in every direction. Therefore, ||e||^2 exceeds trace + 2 sqrt(trace(C^2) k) + 2 lambda k
    with probability at most exp(-k) (Hsu, Kakade, Zhang 2012, Theorem 1). trace(C^2) is at most lambda trace,
    and ||e||_1 is at most sqrt(cells) ||e||.
    """
    slack = math.log(1.0 / beta)
    squares = trace + 2.0 * math.sqrt(eigenvalue * trace * slack) + 2.0 * eigenvalue * slack
    return math.sqrt(cells * squares)


def sign_radius(covariance: NDArray[np.float64], *, beta: float) -> float:
    """Return u with Pr[||e||_1 >= u] <= beta for a linear image e of discrete Gaussians.

    e has the proxy covariance C. Its norm ||e||_1 is the maximum of <s, e> over sign vectors s, and each <s,
    e> is sub-Gaussian with proxy s' C s. Therefore, the probability is at most sum_s exp(-u^2 / (2 s' C s)).
    The function solves for the u at which this sum equals beta. The bound is tight if a few sign patterns
    contain most of the noise.
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
    """Return all sign patterns up to negation: one pattern of each pair of opposite patterns.

    Shapes: float64[2^(cells-1), cells].
    """
    return np.array([(1.0, *rest) for rest in product((1.0, -1.0), repeat=cells - 1)])


def shift_bound(gap: float, *, cells: int, sigma: float, noise: Noise, beta: float) -> float:
    """Return b such that Pr[||mu||_1 > b] <= beta, where gap = ||mu + Z||_1.

    mu is fixed and Z is noise of this kind in each cell. The bound applies to a measurement made after a
    selection.

    AIM's Theorem 2 (appendix B) gives gap + sigma sqrt(2 n ln(1/beta)), which counts the noise in full.
    However,
    |mu + Z| exceeds |mu| on average, which allows a smaller bound. With G(m) = -ln E exp(-t|m + Z|) / t,
    Chernoff gives sum G(mu_i) <= gap + ln(1/beta) / t. The values E exp(-t|m + Z|) are log-concave at integer
    m (a convolution of log-concave sequences) and log-convex between integers. So the polygon through the
    values at integer m is a convex lower bound of G. By Jensen's inequality, the mean of |mu_i| is at most
    the inverse of the polygon at (gap + ln(1/beta) / t) / n. This is exact for lattice noise, without a
    Gaussian approximation. The simple bound follows from the same event (E exp(-t|m + Z|) <= exp(-tm + t^2 v
    / 2) with the proxy v), so the smaller of the two bounds can be used. `t` depends on n, v and beta only.
    Units: counts.
    """
    slack = math.log(1.0 / beta)
    spread = math.sqrt(PROXIES[noise](sigma * sigma))
    t = math.sqrt(2.0 * slack / cells) / spread
    plain = gap + spread * math.sqrt(2.0 * cells * slack)
    if sigma > LARGEST_TABULATED_SIGMA or slack > 50.0 * cells:
        return plain
    floor = _soft_absolute(sigma, t, noise)
    target = (gap + slack / t) / cells
    if target <= floor[0]:
        return 0.0
    if target >= floor[-1]:
        mean = len(floor) - 1 + (target - floor[-1]) / (floor[-1] - floor[-2])
    else:
        mean = float(np.interp(target, floor, np.arange(len(floor))))
    return float(min(plain, cells * mean))


def _soft_absolute(sigma: float, t: float, noise: Noise) -> NDArray[np.float64]:
    """Return -ln E exp(-t|m + Z|) / t at m = 0, 1, ... up to about 8 sigma.

    Terms beyond 14 sigma (1e-42) are omitted.
    """
    reach, last = math.ceil(14.0 * sigma) + 2, math.ceil(8.0 * sigma) + 2
    k = np.arange(-reach, reach + 1)
    if noise is Noise.ROUNDED:
        weights = _normal_cdf((0.5 - np.abs(k)) / sigma) - _normal_cdf((-0.5 - np.abs(k)) / sigma)
    else:
        weights = np.exp(-np.square(k) / (2.0 * sigma * sigma))
    weights /= weights.sum()
    upto = np.cumsum(weights * np.exp(t * k)) * np.exp(-t * k)
    after = np.cumsum((weights * np.exp(-t * k))[::-1])[::-1] * np.exp(t * k) - weights
    mean = (upto + after)[reach : reach + last + 1]
    return np.asarray(-np.log(mean) / t)


def tail(sigma: float, *, beta: float) -> float:
    """Return t with Pr[Z <= -t] <= beta for a discrete Gaussian Z with parameter sigma^2.

    It follows from (1) of the module docstring.
    """
    return sigma * math.sqrt(2.0 * math.log(1.0 / beta))
