"""Weigh several models of the same tables by noisy tables that none of them has seen.

Stacking (Wolpert 1992, Breiman 1996): the mixture of models that is nearest to fresh tables in squares,

    min over w >= 0, sum w = 1 of sum over pairs and cells of omega (fresh - sum_k w_k model_k)^2,

with cells weighted by omega = 1 / (expected under independence + sigma), about the inverse of how far models
differ in a cell. Only departures from independence are compared: the columns are known already.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from synth.models.targets import NoisyTable, Pair, Targets

ONE = 100.0
"""Weight of the equation that the weights sum to one, beside squares of about one."""

JITTER = 1e-6
"""Added to the scaled products, so that models that agree everywhere have a unique solution."""

LEAST_SCALE = 1e-9
"""Models whose squared departures from independence are smaller, in counts, are all the same."""

Tables = Mapping[Pair, NDArray[np.float64]]
"""Counts of pairs in coarse codes."""


@dataclass(frozen=True, eq=False)
class Stack:
    """Inner products of models with each other and with fresh answers, pair by pair.

    Shapes: `grams` float64[pairs, models, models], `moments` float64[pairs, models], `noise`
    float64[pairs, models, models], the covariance of the moments by the fresh answers' noise; `energies`
    float64[pairs], the squared departures of the fresh answers from independence beyond their noise.
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
        """Keep only some of the models, by position."""
        some = np.ix_(range(len(self.pairs)), models, models)
        return Stack(self.pairs, self.grams[some], self.moments[:, models], self.noise[some], self.energies)

    def left(self, weights: NDArray[np.float64]) -> float:
        """Return the part of all departures from independence, in squares, that a mixture leaves unexplained.
        Unbiased except for the ratio; infinite if no departure is seen."""
        energy = float(self.energies.sum())
        gram, moment = self.grams.sum(axis=0), self.moments.sum(axis=0)
        explained = float(2 * weights @ moment - weights @ gram @ weights)
        return 1 - explained / energy if energy > 0 else math.inf

    def by_pair(self, prior: float) -> NDArray[np.float64]:
        """Return the best mixture for every pair, with all pairs together as a prior of `prior` average
        pairs. Shapes: float64[pairs, models]."""
        gram, moment = self.grams.mean(axis=0) * prior, self.moments.mean(axis=0) * prior
        return np.array(
            [simplex_weights(g + gram, m + moment) for g, m in zip(self.grams, self.moments, strict=True)]
        )

    def gain(self, better: NDArray[np.float64], worse: NDArray[np.float64]) -> float:
        """Return by how many standard deviations of the fresh noise one mixture beats another."""
        gram, moment = self.grams.sum(axis=0), self.moments.sum(axis=0)
        loss = [float(w @ gram @ w - 2 * w @ moment) for w in (better, worse)]
        way = better - worse
        deviation = 2 * math.sqrt(max(float(way @ self.noise.sum(axis=0) @ way), 0.0))
        return (loss[1] - loss[0]) / max(deviation, 1e-300)

    def seen(self, weights: NDArray[np.float64]) -> float:
        """Return the departures of a mixture from independence, as fresh tables show them, in standard
        deviations of their noise."""
        deviation = math.sqrt(max(float(weights @ self.noise.sum(axis=0) @ weights), 0.0))
        return float(weights @ self.moments.sum(axis=0)) / max(deviation, 1e-300)


def averaged(stacks: Sequence[Stack], *, shared: float) -> Stack:
    """Average comparisons with fresh tables that share the part `shared` of their noise's variance: only the
    rest averages out."""
    (one, *_), left = stacks, shared + (1 - shared) / len(stacks)
    return Stack(
        one.pairs,
        np.mean([s.grams for s in stacks], axis=0),
        np.mean([s.moments for s in stacks], axis=0),
        left * np.mean([s.noise for s in stacks], axis=0),
        np.mean([s.energies for s in stacks], axis=0),
    )


def stacked(targets: Targets, fresh: Mapping[Pair, NoisyTable], models: Sequence[Tables]) -> Stack:
    """Compare models that were not fitted to `fresh` with these pairs, in counts of `targets`."""
    pairs = tuple(fresh)
    grams, moments, noise, energies = [], [], [], []
    for a, b in pairs:
        told = fresh[a, b]
        alone = np.outer(targets.columns[a], targets.columns[b]) / targets.total
        omega = 1 / (alone + told.sigma)
        away = np.stack([(model[a, b] - alone).ravel() for model in models])
        weighted = away * omega.ravel()
        grams.append(weighted @ away.T)
        seen = (told.counts - alone).ravel()
        moments.append(weighted @ seen)
        noise.append(told.sigma**2 * weighted @ weighted.T)
        energies.append(float(omega.ravel() @ (seen**2 - told.sigma**2)))
    return Stack(pairs, np.array(grams), np.array(moments), np.array(noise), np.array(energies))


def simplex_weights(gram: NDArray[np.float64], moment: NDArray[np.float64]) -> NDArray[np.float64]:
    """The w >= 0 of sum 1 with least w' gram w - 2 w' moment. Shapes: float64[k, k] and float64[k] to
    float64[k].

    A least squares problem in the root of `gram`, the sum as one more heavy row (Lawson and Hanson 1974);
    even weights where nothing tells the models apart.
    """
    scale = float(np.trace(gram)) / len(moment)
    if not scale > LEAST_SCALE:
        return np.full(len(moment), 1 / len(moment))
    root = np.linalg.cholesky(gram / scale + JITTER * np.eye(len(moment))).T
    wanted = np.linalg.solve(root.T, moment / scale)
    weights, _ = nnls(np.vstack([root, np.full(len(moment), ONE)]), np.append(wanted, ONE))
    return np.asarray(weights / weights.sum())
