"""Estimate model weights for pairs that were scored but not measured.

A score (`NoisyScores`) is the noisy distance of a pair from independence. A mixture of models with the
weights w has a distance of about sum_k w_k ||model_k - independence||_1. w is the least-squares fit over all
unmeasured pairs, with a prior. A comparison based only on measured pairs would be misleading, because a model
can be accurate on every measured pair and inaccurate on the others. Pairs were left unmeasured because their
scores were small, so these scores are biased. Therefore, the fit uses the likely distance
(`NoisyScores.likely`) instead of the score.

With a starting table, the scores are distances d_r from it, and sum_k w_k g_kr^2 is fitted to d_r^2, where
g_kr = ||model_k - start||_1. If the errors of the starting table and of a model are independent, the optimal
weight of the model is d^2 / g^2. The prior is then the starting table alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from synth.core.evidence import Evidence
from synth.core.measurements.noisy import NoisyScores
from synth.models.blend.stacking import simplex_weights
from synth.models.targets import Pair, Targets

GAPS = ("l1_gap", "indif")
"""Names of scores whose values are distances from independence, in counts."""

PRIOR_PAIRS = 10.0
"""Weight of the prior, in average pairs."""


def weights_by_look(
    evidence: Evidence,
    targets: Targets,
    models: Sequence[Mapping[Pair, NDArray[np.float64]]],
    prior: NDArray[np.float64],
    *,
    start: Mapping[Pair, NDArray[np.float64]] | None = None,
) -> NDArray[np.float64]:
    """Return the weights of the models for unmeasured pairs, or `prior` if none of these pairs was scored.

    Shapes: `prior` and the result float64[models], each summing to 1. `models` and `start`: counts of every
    pair.
    """
    expected, seen, power = [], [], 1 if start is None else 2
    for scores in evidence.scores:
        for pair, value in _distances(scores, targets):
            if pair in targets.pairs:
                continue
            if start is None:
                base = np.outer(targets.columns[pair[0]], targets.columns[pair[1]]) / targets.total
            else:
                base = start[pair]
            expected.append([float(np.abs(model[pair] - base).sum()) ** power for model in models])
            distance = _without_chance(value, base)
            seen.append(distance if start is None else distance * abs(distance) - scores.sigma**2)
    if not expected:
        return prior
    rows, distances = np.array(expected), np.array(seen)
    gram = rows.T @ rows
    ridge = PRIOR_PAIRS * float(np.trace(gram)) / len(models) / len(rows)
    return simplex_weights(gram + ridge * np.eye(len(models)), rows.T @ distances + ridge * prior)


def _distances(scores: NoisyScores, targets: Targets) -> list[tuple[Pair, float]]:
    if getattr(scores.score, "name", "") not in GAPS:
        return []
    axes = [targets.domain.axes(r) for r in scores.score.cliques]
    return [
        ((min(a), max(a)), value)
        for a, value in zip(axes, scores.likely.tolist(), strict=True)
        if len(a) == 2
    ]


def _without_chance(distance: float, alone: NDArray[np.float64]) -> float:
    """Subtract the square of the sampling error from the square of a distance. The result can be negative, so
    that noise averages out.
    """
    root = math.sqrt(2 / math.pi) * np.sqrt(alone)
    chance = float(np.minimum(root, 2 * alone).sum())
    return math.sqrt(max(distance**2 - chance**2, 0.0)) if distance > 0 else distance
