"""Estimate the error of each single table from the accuracy check, by empirical Bayes.

The accuracy check measured the error (TVD) of each table with the same noise. If the noise is large, the
highest of many noisy figures is mostly luck. Here, the figures share information (Fay and Herriot 1979):

 1. Predicted error. A random sample of N rows with cell probabilities p has the expected error
    f = 0.5 sum sqrt(2 p / (pi N)). The true error of a synthetic table is close to a constant times f, with p
    from the released table. k is the effective number of free cells: with K(p) = (sum sqrt p)^2,
    k = K(p) - sum_i K(margin i) + (columns - 1), at least 1. g is the distance between the released table and
    the product of its columns, and 0 if the table was measured. Then
        m = b0 f + b1 f (1 - 1/k) + b2 g,   b >= 0, by weighted least squares on the measured errors.
 2. Spread. The true error is m u, with E u = 1 and Var u = s^2 + C / k, C = pi/2 - 1: the squared coefficient
    of variation of the mean of k half-normals, plus a spread s that is common to all tables.
 3. Posterior, on a grid: a gamma prior with this mean and variance, mixed with a log-normal of weight q for
    tables that the model missed. It is averaged over a common scale of m, s and q, weighted by their marginal
    likelihoods. The bound of a table holds with 95% confidence only, so the prior above it is multiplied by
    `LEAK` instead of 0.

The usual values of b, s and q and their doubt are constants from simulations on public tables.
`bench.coverage` measures the coverage of the intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls
from scipy.special import gammaln

Vector = NDArray[np.float64]

HALF_NORMAL = pi / 2 - 1
"""C: the squared coefficient of variation of a half-normal variable."""

USUAL, DOUBT = np.array([1.5, 0.5, 0.1]), np.array([1.0, 1.0, 0.2])
"""Usual values of b with their standard deviations, which matter if the noise hides the errors."""

USUAL_SPREAD, FACTOR = 0.2, 0.5
"""The usual value of s, and the standard deviation of log s."""

SPREADS = np.array([0.10, 0.15, 0.22, 0.30, 0.40, 0.55, 0.75])
TAILS, TAIL_WEIGHTS = np.array([0.005, 0.02, 0.08]), np.array([0.40, 0.35, 0.25])
"""Values of s and of q, and the prior weights of q."""

TAIL_SPREAD = sqrt(np.e - 1)
"""The coefficient of variation of the log-normal tail, whose logarithm has standard deviation 1."""

LEAST_SD, LEAST_DENSITY = 1e-6, 1e-12
"""Smallest noise and prior density, so that every error has a posterior."""

LEAK = 0.05
SCALES = np.linspace(-2.5, 2.5, 7)
"""Common scales of m, in standard errors of the mean error."""

POINTS = 160
NEGLIGIBLE = 12.0
"""Number of grid points, and the difference in log marginal likelihood at which parameters are left out."""

LEVELS = (0.005, 0.025, *(0.05 * i for i in range(1, 20)), 0.975, 0.995)
"""Levels of the quantiles that are published."""


@dataclass(frozen=True, kw_only=True)
class Likely:
    """The posterior of one error: its mean, and its quantiles at `LEVELS`. Units: shares of rows."""

    estimate: float
    quantiles: tuple[float, ...]

    @property
    def limited(self) -> float:
        """Return the estimate, which is a share of rows."""
        return self.estimate

    def upper(self, beta: float) -> float:
        """Return an upper limit, which the error exceeds with probability beta."""
        return float(np.interp(1 - beta, LEVELS, self.quantiles))

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the interval between two quantiles, each with the same probability outside it."""
        low, high = np.interp([(1 - confidence) / 2, (1 + confidence) / 2], LEVELS, self.quantiles)
        return float(low), float(high)

    def above(self, error: float) -> float:
        """Return the probability that the error is higher than this."""
        ends = (0.0, *self.quantiles, max(1.0, self.quantiles[-1]))
        return 1.0 - float(np.interp(error, ends, (0.0, *LEVELS, 1.0)))


@dataclass(frozen=True, eq=False, kw_only=True)
class Checked:
    """A table whose error was measured. `shares` has the released table, which sums to one; `bound` is an
    upper limit of the error at 95% confidence, 1 without a bound.
    """

    error: float
    shares: Vector
    is_measured: bool
    bound: float = 1.0


def likely_errors(tables: Sequence[Checked], *, sd: float, rows: float) -> tuple[Likely, ...]:
    """Return the posterior of the error of each table. All tables have the same number of columns.

    `sd` is the standard deviation of the noise of an error, and `rows` the number of rows N.
    """
    if not tables:
        return ()
    errors = np.array([one.error for one in tables])
    sampled, distance, free = np.array([_features(one, rows) for one in tables]).T
    predicted = _predicted(errors, sd, sampled, distance, free)
    bound = np.array([min(1.0, max(one.bound, 0.0)) for one in tables])
    theta, weights = _posterior(errors, sd, predicted, free, bound)
    below = np.cumsum(weights, axis=1)
    found = []
    for grid, weight, sums in zip(theta, weights, below, strict=True):
        quantiles = np.interp(LEVELS, sums, grid)
        found.append(Likely(estimate=float(weight @ grid), quantiles=tuple(map(float, quantiles))))
    return tuple(found)


def _features(table: Checked, rows: float) -> tuple[float, float, float]:
    """Return f, g and k of a table (step 1)."""
    p = table.shares
    axes = range(p.ndim)
    margins = [p.sum(axis=tuple(a for a in axes if a != axis)) for axis in axes]
    free = _effective(p) - (1.0 if p.ndim == 1 else sum(map(_effective, margins)) - (p.ndim - 1))
    distance = 0.0
    if p.ndim > 1 and not table.is_measured:
        product = margins[0]
        for margin in margins[1:]:
            product = np.multiply.outer(product, margin)
        distance = 0.5 * float(np.abs(p - product).sum())
    return 0.5 * float(np.sqrt(2 * p / (pi * rows)).sum()), distance, max(1.0, free)


def _effective(p: Vector) -> float:
    return float(np.sqrt(p).sum()) ** 2


def _predicted(errors: Vector, sd: float, sampled: Vector, distance: Vector, free: Vector) -> Vector:
    """Return m: non-negative least squares, weighted twice with the variances that m implies (step 1)."""
    features, b = np.stack([sampled, sampled * (1 - 1 / free), distance], axis=1), USUAL
    for _ in range(2):
        m = np.maximum(features @ b, 1e-4)
        weight = 1 / np.sqrt(sd**2 + (USUAL_SPREAD**2 + HALF_NORMAL / free) * m**2)
        rows = np.concatenate([features * weight[:, None], np.diag(1 / DOUBT)])
        b = nnls(rows, np.concatenate([errors * weight, USUAL / DOUBT]))[0]
    return np.asarray(np.maximum(features @ b, 1e-4))


def _posterior(errors: Vector, sd: float, m: Vector, free: Vector, bound: Vector) -> tuple[Vector, Vector]:
    """Return the grid of each table and the posterior weights on it (step 3). Shapes: [tables, POINTS]."""
    top = np.minimum(1.0, np.maximum(errors + 5 * sd, 5 * m))
    top = np.maximum(top, 1e-3)
    unit = ((np.arange(POINTS) + 0.5) / POINTS) ** 1.5
    theta, width = top[:, None] * unit, top[:, None] * np.gradient(unit)
    squares = ((errors[:, None] - theta) / max(sd, LEAST_SD)) ** 2
    likelihood = np.exp(-0.5 * (squares - squares.min(axis=1, keepdims=True)))
    width = width * np.where(theta <= bound[:, None], 1.0, LEAK)
    total, most = np.zeros_like(theta), -np.inf
    step = max(0.02, sd / sqrt(len(errors)) / float(m.mean()))
    for scale in np.exp(step * SCALES):
        mean = (m * scale)[:, None]
        tail = np.maximum(_log_normal(theta, mean * sqrt(np.e), TAIL_SPREAD), LEAST_DENSITY) * width
        for spread in SPREADS:
            usual = _gamma(theta, mean, spread**2 + HALF_NORMAL / free[:, None]) * width
            known = -0.5 * (np.log(spread / USUAL_SPREAD) / FACTOR) ** 2
            parts = [(one.sum(axis=1), (one * likelihood).sum(axis=1)) for one in (usual, tail)]
            for part, chance in zip(TAILS, TAIL_WEIGHTS, strict=True):
                prior, joint = ((1 - part) * a + part * b for a, b in zip(*parts, strict=True))
                log = float(np.log(np.maximum(joint / prior, 1e-300)).sum() + known + np.log(chance))
                if log > most:  # sums are relative to the largest marginal likelihood so far
                    total, most = total * np.exp(most - log), log
                if log > most - NEGLIGIBLE:
                    weight = (np.exp(log - most) / np.maximum(joint, 1e-300))[:, None]
                    total += weight * ((1 - part) * usual + part * tail) * likelihood
    return theta, total / total.sum(axis=1, keepdims=True)


def _log_normal(theta: Vector, mean: Vector, variation: float) -> Vector:
    variance = np.log1p(variation**2)
    z = np.log(theta) - np.log(mean) + variance / 2
    return np.asarray(np.exp(-0.5 * z**2 / variance) / (theta * np.sqrt(2 * pi * variance)))


def _gamma(theta: Vector, mean: Vector, variation: Vector) -> Vector:
    """Return the gamma density with this mean and squared coefficient of variation."""
    k = 1 / variation
    scaled = theta * k / mean
    return np.asarray(np.exp((k - 1) * np.log(scaled) - scaled - gammaln(k)) * k / mean)
