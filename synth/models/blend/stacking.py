"""Estimate weights of several models of the same tables from noisy tables to which none of the models was
fitted.

Stacking (Wolpert 1992, Breiman 1996) finds the mixture of models with the smallest squared distance from
fresh tables,

    min over w >= 0, sum w = 1 of sum over pairs and cells of omega (fresh - sum_k w_k model_k)^2.

The weight omega = 1 / (expected + sigma) of a cell is approximately the inverse of the variance between
models. Only departures from the expected counts are compared, because the one-way tables are known. The
expected counts are those of independence, or of the starting table if there is one. Below, independence means
either.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from synth.models.targets import NoisyTable, Pair

ONE = 100.0
"""Weight of the equation that the weights sum to one, relative to squares of about one."""

JITTER = 1e-6
"""Value added to the diagonal of the scaled products, so that identical models have a unique solution."""

LEAST_SCALE = 1e-9
"""Minimum squared departure of the models from independence, in counts. If all departures are smaller, the
models are treated as equal.
"""

Tables = Mapping[Pair, NDArray[np.float64]]
"""Counts of pairs in coarser codes."""


@dataclass(frozen=True, eq=False)
class Stack:
    """Inner products of models with each other and with fresh measurements, for each pair of columns.

    Shapes: `grams` float64[pairs, models, models]. `moments` float64[pairs, models]. `noise` float64[pairs,
    models, models], the covariance of the moments due to the noise of the fresh measurements. `energies`
    float64[pairs], the squared departures of the fresh measurements from independence minus their expected
    noise.
    """

    pairs: tuple[Pair, ...]
    grams: NDArray[np.float64]
    moments: NDArray[np.float64]
    noise: NDArray[np.float64]
    energies: NDArray[np.float64]

    @property
    def weights(self) -> NDArray[np.float64]:
        """Return the best mixture for all pairs together. Shapes: float64[models]."""
        return simplex_weights(self.grams.sum(axis=0), self.moments.sum(axis=0))

    def of(self, models: Sequence[int]) -> Stack:
        """Return the inner products of the models at the given positions."""
        some = np.ix_(range(len(self.pairs)), models, models)
        return Stack(self.pairs, self.grams[some], self.moments[:, models], self.noise[some], self.energies)

    def left(self, weights: NDArray[np.float64]) -> float:
        """Return the fraction of all squared departures from independence that a mixture does not explain.

        Numerator and denominator are unbiased. The result is infinite if the measurements show no departure.
        """
        energy = float(self.energies.sum())
        gram, moment = self.grams.sum(axis=0), self.moments.sum(axis=0)
        explained = float(2 * weights @ moment - weights @ gram @ weights)
        return 1 - explained / energy if energy > 0 else math.inf

    def by_pair(self, prior: float) -> NDArray[np.float64]:
        """Return the best mixture for every pair. The mixture for all pairs together is a prior that counts
        as `prior` average pairs. Shapes: float64[pairs, models].
        """
        gram, moment = self.grams.mean(axis=0) * prior, self.moments.mean(axis=0) * prior
        return np.array(
            [simplex_weights(g + gram, m + moment) for g, m in zip(self.grams, self.moments, strict=True)]
        )

    def gain(self, better: NDArray[np.float64], worse: NDArray[np.float64]) -> float:
        """Return the advantage of one mixture over another in standard deviations of the fresh noise."""
        gram, moment = self.grams.sum(axis=0), self.moments.sum(axis=0)
        loss = [float(w @ gram @ w - 2 * w @ moment) for w in (better, worse)]
        way = better - worse
        deviation = 2 * math.sqrt(max(float(way @ self.noise.sum(axis=0) @ way), 0.0))
        return (loss[1] - loss[0]) / max(deviation, 1e-300)

    def seen(self, weights: NDArray[np.float64]) -> float:
        """Return how far a mixture departs from independence according to the fresh tables, in standard
        deviations of their noise.
        """
        deviation = math.sqrt(max(float(weights @ self.noise.sum(axis=0) @ weights), 0.0))
        return float(weights @ self.moments.sum(axis=0)) / max(deviation, 1e-300)


def averaged(stacks: Sequence[Stack], *, shared: float) -> Stack:
    """Average comparisons with fresh tables whose noise variances have a common part `shared`. Averaging
    reduces only the rest.
    """
    (one, *_), left = stacks, shared + (1 - shared) / len(stacks)
    return Stack(
        one.pairs,
        np.mean([s.grams for s in stacks], axis=0),
        np.mean([s.moments for s in stacks], axis=0),
        left * np.mean([s.noise for s in stacks], axis=0),
        np.mean([s.energies for s in stacks], axis=0),
    )


def stacked(fresh: Mapping[Pair, NoisyTable], models: Sequence[Tables], expected: Tables) -> Stack:
    """Compare models that were not fitted to `fresh` with these pairs. Only departures from `expected` are
    compared.
    """
    pairs = tuple(fresh)
    grams, moments, noise, energies = [], [], [], []
    for a, b in pairs:
        noisy = fresh[a, b]
        omega = 1 / (expected[a, b] + noisy.sigma)
        away = np.stack([(model[a, b] - expected[a, b]).ravel() for model in models])
        weighted = away * omega.ravel()
        grams.append(weighted @ away.T)
        seen = (noisy.counts - expected[a, b]).ravel()
        moments.append(weighted @ seen)
        noise.append(noisy.sigma**2 * weighted @ weighted.T)
        energies.append(float(omega.ravel() @ (seen**2 - noisy.sigma**2)))
    return Stack(pairs, np.array(grams), np.array(moments), np.array(noise), np.array(energies))


def simplex_weights(gram: NDArray[np.float64], moment: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the w >= 0 with sum 1 that minimises w' gram w - 2 w' moment. Shapes: from float64[k, k] and
    float64[k] to float64[k].

    This is a least-squares problem in the square root of `gram`, with the sum as an additional row of large
    weight (Lawson and Hanson 1974). If nothing distinguishes the models, the weights are equal.
    """
    scale = float(np.trace(gram)) / len(moment)
    if not scale > LEAST_SCALE:
        return np.full(len(moment), 1 / len(moment))
    root = np.linalg.cholesky(gram / scale + JITTER * np.eye(len(moment))).T
    wanted = np.linalg.solve(root.T, moment / scale)
    weights, _ = nnls(np.vstack([root, np.full(len(moment), ONE)]), np.append(wanted, ONE))
    return np.asarray(weights / weights.sum())
