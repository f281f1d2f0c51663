"""Estimate many noisy cells at once, as posterior means under the prior with the largest likelihood.

Source: the general maximum likelihood empirical Bayes estimate of normal means (Kiefer and Wolfowitz 1956,
Jiang and Zhang 2009). Only a few steps of expectation maximisation are made, because stopping early keeps the
prior smooth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

SIZES = 30
"""Number of cell sizes in the geometric series that the prior can use, in addition to 0 and the noisy
counts.
"""

FINEST = 1 / 8
"""Smallest size in this series, in sigmas."""

STEPS = 20
"""Number of expectation-maximisation steps from a uniform prior."""

WAYS = np.random.default_rng(0).choice((-1.0, 1.0), (4, 512))
"""Random directions for measuring the divergence of this many cells. Further cells use the same directions
again.
"""

PROBED = 0.2
"""Step size in each direction and cell, in sigmas."""


def posterior_means(counts: Vector, sigma: float) -> tuple[Vector, float]:
    """Return the posterior mean of each cell, and an estimate of the divergence sum_x d mean_x / d count_x.
    Shapes: float64[n] to float64[n].

    Cells have independent normal noise with the given sigma, and true values of at least 0. The prior depends
    on the counts, so the divergence has no simple formula and is measured in random directions (Ramani, Blu
    and Unser 2008). Deterministic.
    """
    step, slopes = PROBED * sigma, 0.0
    for way in (np.resize(way, counts.size) for way in WAYS):
        change = _means(counts + step * way, sigma) - _means(counts - step * way, sigma)
        slopes += float(way @ change) / (2 * step)
    return _means(counts, sigma), slopes / len(WAYS)


def _means(counts: Vector, sigma: float) -> Vector:
    sizes = np.geomspace(FINEST * sigma, max(float(counts.max()), sigma), SIZES)
    sizes = np.unique(np.concatenate([[0.0], sizes, np.maximum(counts, 0.0)]))
    exponents = -0.5 * np.square((counts[:, None] - sizes) / sigma)
    likelihood = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    prior = np.full(sizes.size, 1 / sizes.size)
    for _ in range(STEPS):
        prior = prior * (likelihood.T @ (1 / (likelihood @ prior))) / counts.size
    posterior = likelihood * prior
    return np.asarray(posterior @ sizes / posterior.sum(axis=1))
