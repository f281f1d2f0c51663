"""One noisy column as counts: no cell below zero, the right total, and neighbours that support each other.

A column in order is mostly smooth, and where noise hides its cells a piecewise constant column is a far
better guess than the noisy one; but a spike (forty hours a week) is no segment. Both guesses are made and
Stein's unbiased estimate of their squared error, computed from the noisy counts alone, decides.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from synth.models.estimates.simplex import project_onto_simplex

Vector = NDArray[np.float64]

RATES = (0.02, 0.05, 0.1, 0.2, 0.4)
"""Chances that a segment ends at a cell; the likelihood of the noisy column chooses."""

LONGEST = 512
"""Cells from which on segments would cost more than a second: such a column is projected only."""


def smooth(counts: Vector, sigma: float, *, total: float, ordered: int = 0) -> Vector:
    """The likely counts of a column. Shapes: float64[n] to float64[n], non-negative, summing to `total`.

    `sigma`: noise of each cell, in counts. `ordered`: how many of the first cells are in order.
    Post-processing: a function of noisy counts.
    """
    plain = project_onto_simplex(counts, total)
    if not 2 < ordered <= LONGEST:
        return plain
    head = counts[:ordered]
    guess, divergence = segments(head, sigma)
    risk = float(np.square(guess - head).sum()) + 2 * sigma**2 * divergence
    rival = float(np.square(plain[:ordered] - head).sum())
    rival += 2 * sigma**2 * (np.count_nonzero(plain[:ordered]) - 1)
    if rival <= risk:
        return plain
    return project_onto_simplex(np.concatenate([guess, counts[ordered:]]), total)


def segments(counts: Vector, sigma: float) -> tuple[Vector, float]:
    """Posterior mean of a piecewise constant column under Gaussian noise, and its divergence.

    Segments end at each cell with one of the `RATES`; heights are normal around the mean with the spread of
    the counts. Exact by the forward-backward recursion over segments (Fearnhead 2006), O(n^2). The
    divergence sum_x d mean_x / d count_x is sum_x Var_x / sigma^2, since the posterior is a Gaussian
    exponential family; it is what Stein's estimate needs.
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
    """Log of the summed weight of all ways to cut the first j cells into segments."""
    n = len(weight) - 1
    summed = np.full(n + 1, -np.inf)
    summed[0] = 0.0
    for j in range(1, n + 1):
        ways = summed[:j] + weight[:j, j]
        peak = ways.max()
        summed[j] = peak + math.log(np.exp(ways - peak).sum())
    return summed


def _covering(table: Vector) -> Vector:
    """For every cell the sum over the segments [i, j) that hold it."""
    return np.asarray(np.cumsum(table.sum(axis=1) - table.sum(axis=0))[:-1])
