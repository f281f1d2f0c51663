"""Compute privacy costs of Gaussian noise on sums over random samples, for training on private gradients.

See assets/proofs/sampled-gaussian.md.

Each row is in a sample with probability q, independently of all other rows, and changes the sum by at most 1.
A unit of k rows then changes it by at most j with probability Binomial(k, q)(j), and the pair Q = N(0,
sigma^2), P = sum_j Binomial(k, q)(j) N(j, sigma^2) dominates the effect of its presence (Mironov, Talwar,
Zhang 2019 for k = 1, Ganesh 2024 for more). The cost of a step is defined by its Renyi divergences, where D_a
is the larger of both directions:

    rho = sup over orders 1 < a <= most of D_a / a,   D_a = log E_Q[(P / Q)^a] / (a - 1).

This is weaker than zCDP, which bounds every order, but equivalent as long as no larger order is used. The
conversion of rho at delta uses a single order, the a with (a - 1)^2 rho + log a = log(1 / delta). This order
decreases as rho or delta grows, so an order that is sufficient for one cost is sufficient for every sum that
contains it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from synth.core.accounting.guarantee import SET_ASIDE, rho_of
from synth.core.accounting.law import Noise, narrowed
from synth.core.accounting.zcdp import ZCDP, Zcdp

LEAST_DELTA = 2e-12
"""Minimum delta of a run under this law, and of a lifetime guarantee that contains such a run."""

SMALLEST_PART = LEAST_DELTA * SET_ASIDE / 2
"""A lower bound on the part of delta at which such a guarantee is converted. The limits share delta."""

TRAIN = "train"
"""The only kind of query (`private.queries`) under this law."""

PARTS = 1 << 16
"""The sampling probability is an integer multiple of 1/PARTS."""

NEAREST = 2.0**-6  # divergences are computed from the order 1 + NEAREST upwards
FINENESS = 8  # number of orders until a - 1 has doubled
POINTS = 16  # points of an integral per sigma; its error decreases as exp(-320 sigma)
FAR = 14.0  # sigmas beyond the outermost mean, where normal tails are below 1e-43
MARGIN = 1e-9  # relative margin on each divergence, a thousand times the float error
LEAST_SIGMA = 0.3
"""Minimum noise of a step, relative to the effect of one row. Sampling has no benefit below it."""


def order_for(rho: float, *, delta: float = SMALLEST_PART) -> float:
    """Return the order at which rho is converted at this delta, rounded up (assets/proofs)."""
    _, high = narrowed(
        1.0,
        2 + math.sqrt(math.log(1 / delta) / rho),
        lambda order: (order - 1) ** 2 * rho + math.log(order) >= math.log(1 / delta),
    )
    return high * (1 + 1e-12)


@lru_cache(maxsize=4096)
def sampled_rho(sigma: float, *, rate: int, rows: int, most: float) -> float:
    """Return the cost of a step at all orders up to `most`, rounded up.

    `sigma` is the noise, relative to the largest effect of one row on the sum; `rate` is the sampling
    probability, in units of 1/PARTS; `rows` is the maximum number of rows of a unit. (a - 1) D_a is convex in
    a and 0 at a = 1, so it is below its chords.
    """
    orders = [1.0]
    while orders[-1] < most:
        orders.append(1 + NEAREST * 2 ** ((len(orders) - 1) / FINENESS))
    moments = [0.0, *(_log_moment(order, sigma, rate / PARTS, rows) for order in orders[1:])]
    ends = pairwise(zip(orders, moments, strict=True))
    return max(_steepest(*first, *last) for first, last in ends) * (1 + MARGIN)


def _steepest(a: float, c: float, b: float, d: float) -> float:
    """Return the largest x / (t (t - 1)) on the chord from (a, c) to (b, d), where x(t) is its height."""
    if not math.isfinite(d):
        return math.inf
    slope = (d - c) / (b - a)
    if a == 1.0:
        return slope  # slope (t - 1) / (t (t - 1)), which is largest at t = 1
    depth = slope * a - c  # x = slope t - depth, and depth >= slope as the chord is not above 0 at t = 1
    crest = (depth + math.sqrt(max(0.0, depth * (depth - slope)))) / slope if slope > 0 else a
    places = [a, b, min(max(crest, a), b)]
    return max((slope * t - depth) / (t * (t - 1)) for t in places)


def _log_moment(order: float, sigma: float, rate: float, rows: int) -> float:
    """Return (a - 1) D_a of the pair, which is the larger of both directions.

    The directions are log E_Q[(P / Q)^a] and log E_Q[(P / Q)^(1 - a)].

    They are computed with the trapezoidal rule, which is as exact as floats for such integrands.
    """
    return max(_log_mean(power, sigma, rate, rows) for power in (order, 1 - order))


def _log_mean(power: float, sigma: float, rate: float, rows: int) -> float:
    """Return log E[(P / Q)^power] over z from Q.

    It is computed from the moment minus 1, which is small if the rate is small.
    """
    import numpy as np  # the command line imports all laws before numpy

    chances = [math.comb(rows, j) * rate**j * (1 - rate) ** (rows - j) for j in range(rows + 1)]
    means = np.array([j for j, chance in enumerate(chances) if chance > 0])[:, None]
    chance = np.array([chance for chance in chances if chance > 0])[:, None]
    first, last = rows * min(0.0, power), rows * max(1.0, power)
    z = np.arange(first - FAR * sigma, last + FAR * sigma, sigma / POINTS)
    exponents = (2 * means * z - means**2) / (2 * sigma**2)
    top = exponents.max(axis=0)
    off = (chance * np.expm1(np.minimum(exponents, 30.0))).sum(axis=0)
    is_near = np.abs(off) < 0.5
    small = np.log1p(np.where(is_near, off, 0.0))
    large = top + np.log((chance * np.exp(exponents - top)).sum(axis=0))
    ratio = power * np.where(is_near, small, large)
    weight = -(z**2) / (2 * sigma**2)
    with np.errstate(over="ignore"):
        near = np.exp(weight) * np.expm1(np.minimum(ratio, 30.0))
        gained = np.where(ratio < 30.0, near, np.exp(weight + ratio)).sum()
    return math.log1p(gained / (POINTS * math.sqrt(2 * math.pi)))


@lru_cache(maxsize=256)
def sampled_sigma(rho: float, *, rate: int, rows: int, most: float) -> float:
    """Return the smallest noise at which a step costs at most rho, rounded up."""

    def is_enough(sigma: float) -> bool:
        return sampled_rho(sigma, rate=rate, rows=rows, most=most) <= rho

    low, high = LEAST_SIGMA, 2 * LEAST_SIGMA
    while not is_enough(high):
        low, high = high, 2 * high
    return narrowed(low, high, is_enough, halvings=30)[1]


@dataclass(frozen=True, kw_only=True)
class Sampled(Zcdp):
    """Renyi DP of sampled sums: rho adds up at every order that a conversion uses."""

    def covers(self, query: Mapping[str, Any], units: int) -> bool:
        """Whether the cost of a training query is valid at the order at which these units are converted.

        Larger sums are converted at lower orders. All other queries are covered.
        """
        return query.get("ask") != TRAIN or query["most"] >= order_for(rho_of(units))

    def conversion(self, units: int, *, delta_of_lists: float) -> str:
        return (
            f"{ZCDP.conversion(units, delta_of_lists=delta_of_lists)}; it uses no order above "
            f"{order_for(rho_of(units)):.4g}, up to which the cost of every query is valid"
        )


SAMPLED = Sampled(
    name="sampled",
    title="RDP of sampled sums",
    limit="units",
    share=1.0,
    asks=(
        "measure",
        "interaction",
        "score",
        "mean_score",
        "hits",
        "moments",
        "logistic",
        "magnitudes",
        TRAIN,
    ),
    noise=Noise.ROUNDED,
    least_delta=LEAST_DELTA,
    is_for_added_units=True,
    definition=(
        "Renyi differential privacy (RDP): the divergence is at most rho times the order, at every "
        "order up to the largest one that the conversion to epsilon and delta uses; one unit of the "
        "ledger is 1e-12 rho"
    ),
    composition=(
        "the rho of all queries adds up at each of these orders; a later query may depend on "
        "earlier results, because the sum is capped by the reservation made before the first query "
        "(a privacy filter)"
    ),
    answers="Gaussian or sums over samples",
    proof="sampled-gaussian.md",
)
