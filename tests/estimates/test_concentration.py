import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import norm

from synth.core.accounting import Noise
from synth.estimates.concentration import (
    euclidean_radius,
    l1_radius,
    rounded_proxy,
    rounded_variance,
    shift_bound,
    sign_radius,
    tail,
)


def lattice(sigma: float) -> tuple[np.ndarray, np.ndarray]:
    k = np.arange(-math.ceil(40 * sigma) - 3, math.ceil(40 * sigma) + 4)
    p = np.exp(-(k**2) / (2 * sigma**2))
    return k, p / p.sum()


def rounded_lattice(sigma: float) -> tuple[np.ndarray, np.ndarray]:
    """The exact law of round(N), N normal."""
    k = np.arange(-math.ceil(38 * sigma) - 3, math.ceil(38 * sigma) + 4)
    tails = norm.sf((np.abs(k) - 0.5) / sigma) - norm.sf((np.abs(k) + 0.5) / sigma)
    return k, tails


every_law = pytest.mark.parametrize(
    "law, proxy", [(lattice, lambda variance: variance), (rounded_lattice, rounded_proxy)]
)
"""Discrete and rounded noise, with what stands for its variance."""
Law = Callable[[float], tuple[np.ndarray, np.ndarray]]


@every_law
@pytest.mark.parametrize("sigma", [0.2, 0.3, 0.5, 0.7, 1.0, 1.7, 5.0])
@pytest.mark.parametrize("scale", [1.0, 0.37, 2.5])
def test_folded_moments_are_below_normal(
    law: Law, proxy: Callable[[float], float], sigma: float, scale: float
) -> None:
    """Fact (3) of the module, checked exactly on X = Z + scale * Z'."""
    k, p = law(sigma)
    x, w = np.abs(np.add.outer(k, scale * k)), np.multiply.outer(p, p)
    s = math.sqrt(proxy(sigma**2) * (1 + scale**2))
    for t in np.array([0.01, 0.3, 1.0, 2.0]) / s:
        folded = 2 * math.exp(t * t * s * s / 2) * norm.cdf(t * s)
        assert (w * np.exp(t * x)).sum() <= folded * (1 + 1e-12)
    assert (w * x).sum() <= math.sqrt(2 / math.pi) * s * (1 + 1e-12)


@every_law
@pytest.mark.parametrize("cells", [1, 4, 50, 300, 2000])
def test_the_l1_radius_covers_at_its_level_only(
    law: Law, proxy: Callable[[float], float], cells: int
) -> None:
    """Sums of |Z| follow a law that convolution gives exactly; sigma 0.8, where the lattice matters."""
    k, p = law(0.8)
    folded = np.where(k[k >= 0] > 0, 2.0, 1.0) * p[k >= 0]
    sums = np.array([1.0])
    for bit in bin(cells)[2:]:
        sums = np.convolve(sums, sums)
        sums = np.convolve(sums, folded) if bit == "1" else sums
        sums = sums[: np.flatnonzero(sums > 1e-18)[-1] + 1]
    radius = l1_radius(np.array([cells]), np.array([proxy(0.64)]), beta=0.05)[0]
    assert sums[math.ceil(radius) :].sum() <= 0.05
    assert sums[math.ceil(radius * {1: 0.4, 4: 0.65}.get(cells, 0.75)) :].sum() > 0.05


def test_the_sign_radius_holds_and_sees_that_noise_of_one_pattern_is_small() -> None:
    pattern = np.array([1.0, -1.0, -1.0, 1.0])
    concentrated = np.outer(pattern, pattern)
    exact = 4 * norm.isf(0.025)
    assert exact < sign_radius(concentrated, beta=0.05) < 1.5 * exact
    spread = sign_radius(np.eye(4), beta=0.05)
    draws = np.abs(np.random.default_rng(0).normal(size=(200_000, 4))).sum(axis=1)
    assert np.mean(draws > spread) < 0.05 < np.mean(draws > 0.6 * spread)
    assert spread > l1_radius(np.array([4]), np.array([1.0]), beta=0.05)[0]


@pytest.mark.parametrize(("law", "noise"), [(lattice, Noise.DISCRETE), (rounded_lattice, Noise.ROUNDED)])
@pytest.mark.parametrize("sigma", [0.6, 2.0, 30.0])
@pytest.mark.parametrize("shift", ["none", "one", "spread", "half"])
def test_the_shift_bound_covers_at_its_level(law: Law, noise: Noise, sigma: float, shift: str) -> None:
    cells, runs, beta = 60, 4000, 0.1
    mu = {
        "none": np.zeros(cells),
        "one": np.r_[40 * sigma, np.zeros(cells - 1)],
        "spread": np.full(cells, 0.7 * sigma),
        "half": np.r_[np.full(30, 0.5), np.zeros(30)],
    }[shift]
    k, p = law(sigma)
    z = np.random.default_rng(1).choice(k, p=p / p.sum(), size=(runs, cells))
    gaps = np.abs(mu + z).sum(axis=1)
    below = np.array([shift_bound(g, cells=cells, sigma=sigma, noise=noise, beta=beta) for g in gaps])
    misses = np.mean(below < np.abs(mu).sum() - 1e-9)
    assert misses <= beta + 6 * math.sqrt(beta / runs)  # 6 sigmas: one false alarm in 1e9
    spread = math.sqrt(rounded_proxy(sigma**2)) if noise is Noise.ROUNDED else sigma
    plain = gaps + spread * math.sqrt(2 * cells * math.log(1 / beta))
    assert np.all(below <= plain + 1e-9)
    if shift == "none" and sigma == 2.0:
        assert np.median(below / plain) < 0.75


def test_the_shift_bound_has_no_slack_to_hide_a_wrong_constant() -> None:
    """Power: where noise is small beside the shift, the bound with a third of its slack must fail."""
    cells, sigma, beta = 100, 2.0, 0.1
    k, p = lattice(sigma)
    mu = np.full(cells, 50.0)
    z = np.random.default_rng(2).choice(k, p=p, size=(3000, cells))
    gaps = np.abs(mu + z).sum(axis=1)
    slack = shift_bound(gaps[0], cells=cells, sigma=sigma, noise=Noise.DISCRETE, beta=beta) - gaps[0]
    assert slack == pytest.approx(sigma * math.sqrt(2 * cells * math.log(1 / beta)), rel=0.05)
    assert np.mean(gaps + slack < mu.sum()) < beta < np.mean(gaps + slack / 3 < mu.sum())


@pytest.mark.parametrize("beta", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("sigma", [0.4, 1.0, 3.0, 20.0])
def test_one_noise_lies_beyond_its_tail_as_seldom_as_is_said(sigma: float, beta: float) -> None:
    """The exact sum over the lattice; where the lattice is fine, four fifths of the tail would not do."""
    k, p = lattice(sigma)
    far = tail(sigma, beta=beta)
    assert p[k <= -far].sum() <= beta
    if sigma >= 3.0:
        assert p[k <= -0.8 * far].sum() > beta


@pytest.mark.parametrize("beta", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("sigma", [0.4, 1.0, 3.0, 20.0])
def test_rounded_noise_keeps_to_the_tail_by_its_proxy_or_by_half_a_step(sigma: float, beta: float) -> None:
    """round(N) <= -t means N <= floor(-t) + 1/2; where half a step is little, four fifths would not do."""

    def beyond(far: float) -> float:
        return float(norm.cdf((math.floor(-far) + 0.5) / sigma))

    proxy = math.sqrt(rounded_proxy(sigma**2))
    for far in (tail(proxy, beta=beta), tail(sigma, beta=beta) + 0.5):
        assert beyond(far) <= beta
        assert sigma < 20.0 or beyond(0.8 * far) > beta


ROUNDED = [0.02, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.7, 5.0]


@pytest.mark.parametrize("sigma", ROUNDED)
def test_exponential_moments_of_rounded_noise_are_below_those_of_its_proxy(sigma: float) -> None:
    """Fact (1), by enumeration; with sigma^2 instead it would be false, so the proxy is needed."""
    k, p = rounded_lattice(sigma)
    v = rounded_proxy(sigma**2)
    for u in np.array([0.01, 0.1, 0.5, 1.0, 2.0, 4.0]) / math.sqrt(v):
        assert (p * np.exp(u * k)).sum() <= math.exp(u * u * v / 2) * (1 + 1e-12)
    if sigma >= 0.5:
        u = 0.5 / sigma
        assert (p * np.exp(u * k)).sum() > math.exp(u * u * sigma**2 / 2)


@pytest.mark.parametrize("sigma", ROUNDED)
def test_cosines_of_rounded_noise_are_above_those_of_its_proxy(sigma: float) -> None:
    """Fact (2), by enumeration; with sigma^2 instead it would be false."""
    k, p = rounded_lattice(sigma)
    v = rounded_proxy(sigma**2)
    u = np.linspace(0.0, 3 * math.pi, 400)
    cosines = np.cos(np.outer(u, k)) @ p
    assert np.all(cosines >= np.exp(-v * u * u / 2) - 1e-14)
    if sigma >= 0.5:
        assert math.exp(-0.125) > np.cos(0.5 / sigma * k) @ p


@pytest.mark.parametrize("sigma", ROUNDED)
def test_the_variance_of_rounded_noise_is_exact_and_its_proxy_near(sigma: float) -> None:
    k, p = rounded_lattice(sigma)
    assert rounded_variance(sigma**2) == pytest.approx(float((p * k * k).sum()), rel=1e-9, abs=3e-4)
    assert rounded_proxy(sigma**2) >= rounded_variance(sigma**2)
    if sigma >= 1.0:
        assert rounded_proxy(sigma**2) < 1.01 * rounded_variance(sigma**2)


@pytest.mark.parametrize("freedom", [1, 3, 40])
def test_the_euclidean_radius_holds_and_not_at_two_fifths(freedom: int) -> None:
    """40 cells, discrete noise in some directions at right angles, of unequal size."""
    rng, cells, runs, beta = np.random.default_rng(0), 40, 4000, 0.05
    turned = np.linalg.qr(rng.normal(size=(cells, cells)))[0][:, :freedom]
    sizes = np.linspace(1.0, 2.0, freedom)
    k, p = lattice(2.0)
    noise = (rng.choice(k, (runs, freedom), p=p) * sizes) @ turned.T
    found = np.abs(noise).sum(axis=1)
    eigenvalues = 4.0 * sizes**2
    radius = euclidean_radius(cells, float(eigenvalues.sum()), float(eigenvalues.max()), beta=beta)
    assert (found > radius).mean() <= beta
    assert (found > 0.4 * radius).mean() > beta
