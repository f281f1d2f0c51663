"""Estimate the counts of one noisy column: non-negative cells with the correct total and less noise.

The best method of removing noise depends on the column. A few cells may be large, most cells may be equal,
neighbours may be similar, or no structure may be visible. Stein's unbiased estimate of the squared error,
which uses only the noisy counts, measures how well each method works on this column. The estimates are
averaged with the weights exp(-risk / (8 sigma^2)) (Leung and Barron 2006, with twice their temperature).
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from synth.models.estimates.empirical_bayes import posterior_means
from synth.models.estimates.simplex import project_onto_simplex

Vector = NDArray[np.float64]

RATES = (0.02, 0.05, 0.1, 0.2, 0.4)
"""Probabilities that a segment ends at a cell. The probability with the largest likelihood is used."""

LONGEST = 512
"""Maximum number of cells for fitting segments, which would otherwise take more than a second. Longer columns
are only projected.
"""

TEMPERATURE = 8.0
"""Difference in risk, in sigma^2, that divides the weight of an estimate by e. Values from 4 to 16 give
similar results.
"""


def smooth(counts: Vector, sigma: float, *, total: float, listed: int = 0) -> Vector:
    """Return the likely counts of a column. Shapes: float64[n] to float64[n], non-negative, summing to
    `total`.

    `sigma`: the noise of a cell, in counts. `listed`: the number of leading cells that are declared values.
    Values without an order are often listed in a meaningful order, and Stein's estimate shows whether this
    helps. The result is post-processing, because it depends only on noisy counts. Every fit of a run requests
    the same columns, so the last results are cached.
    """
    return _smoothed(counts.astype(np.float64).tobytes(), sigma, total, listed).copy()


@lru_cache(maxsize=1024)
def _smoothed(cells: bytes, sigma: float, total: float, listed: int) -> Vector:
    counts = np.frombuffer(cells)
    plain = project_onto_simplex(counts, total)
    if counts.size > LONGEST or not sigma > 0:
        return plain
    bayes, informed = posterior_means(counts, sigma)
    estimates = [plain, np.full(counts.size, total / counts.size), bayes]
    divergences = [np.count_nonzero(plain) - 1.0, 0.0, informed]
    if listed > 2:
        head, followed = segments(counts[:listed], sigma)
        estimates.append(np.concatenate([head, counts[listed:]]))
        divergences.append(followed + counts.size - listed)
    risks = [
        float(np.square(guess - counts).sum()) + 2 * sigma**2 * divergence
        for guess, divergence in zip(estimates, divergences, strict=True)
    ]
    weights = np.exp(-(np.array(risks) - min(risks)) / (TEMPERATURE * sigma**2))
    return project_onto_simplex(weights @ np.array(estimates) / weights.sum(), total)


def segments(counts: Vector, sigma: float) -> tuple[Vector, float]:
    """Return the posterior mean of a piecewise constant column under Gaussian noise, and its divergence.

    Segments end at each cell with one of the probabilities `RATES`. Their heights are normally distributed
    around the mean with the standard deviation of the counts. The result is exact, by the forward-backward
    recursion over segments (Fearnhead 2006), in O(n^2). The divergence sum_x d mean_x / d count_x equals
    sum_x Var_x / sigma^2, because the posterior is a Gaussian exponential family. Stein's estimate uses the
    divergence.
    """
    n = counts.size
    centre, spread = float(counts.mean()), max(float(counts.var()), sigma**2)
    sums = np.concatenate([[0.0], np.cumsum(counts - centre)])
    stops = np.arange(n + 1)
    length = np.maximum(stops[None, :] - stops[:, None], 0).astype(np.float64)
    gained = sums[None, :] - sums[:, None]
    precision = length / sigma**2 + 1 / spread
    height = gained / sigma**2 / precision
    evidence = 0.5 * (height**2 * precision - np.log1p(length * spread / sigma**2))
    best: tuple[float, Vector, Vector] | None = None
    for rate in RATES:
        weight = evidence + np.maximum(length - 1, 0) * math.log1p(-rate) + math.log(rate)
        weight[length == 0] = -np.inf
        forward = _chain(weight)
        if best is None or forward[n] > best[0]:
            best = float(forward[n]), weight, forward
    assert best is not None
    likelihood, weight, forward = best
    backward = _chain(weight[::-1, ::-1].T)[::-1]
    share = np.exp(np.minimum(forward[:, None] + weight + backward[None, :] - likelihood, 0.0))
    mean = _covering(share * height)
    variance = _covering(share * (height**2 + 1 / precision)) - mean**2
    return mean + centre, float(np.maximum(variance, 0.0).sum()) / sigma**2


def _chain(weight: Vector) -> Vector:
    """Return the logarithm of the total weight of all partitions of the first j cells into segments."""
    n = len(weight) - 1
    summed = np.full(n + 1, -np.inf)
    summed[0] = 0.0
    for j in range(1, n + 1):
        ways = summed[:j] + weight[:j, j]
        peak = ways.max()
        summed[j] = peak + math.log(np.exp(ways - peak).sum())
    return summed


def _covering(table: Vector) -> Vector:
    """Return for every cell the sum of the table over the segments [i, j) that contain the cell."""
    return np.asarray(np.cumsum(table.sum(axis=1) - table.sum(axis=0))[:-1])
