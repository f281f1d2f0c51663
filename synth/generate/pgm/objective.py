"""The dual of least squares with a ridge: what a fit minimises."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from synth.generate.pgm.lbfgs import Evaluation, Vector
from synth.generate.pgm.propagation import Propagation


@dataclass(frozen=True, eq=False, kw_only=True)
class RidgeDual:
    """total * log Z(base + l) - l.y + 1/2 sum penalty * l^2 over the free cells of the measured tables.

    Vectors run over the cells of all measured factors. `fixed` holds the log-factors that follow them
    (structural zeros); cells that are not `free` (impossible ones) keep l = 0 and tell nothing.
    Its gradient is (expected counts) - y + penalty * l, one sweep per evaluation; it is strictly convex.
    """

    propagation: Propagation
    counts: Vector
    sigma: Vector
    penalty: Vector
    base: Vector
    fixed: Vector
    free: Vector
    total: float

    def __call__(self, point: Vector) -> Evaluation:
        log_partition = self.propagation.sweep(np.concatenate([self.base + point, self.fixed]))
        pull = self.penalty * point
        expected = self.total * self.propagation.marginals
        gradient = expected - self.counts
        gradient += pull
        gradient *= self.free
        value = self.total * log_partition - float(point @ self.counts) + 0.5 * float(pull @ point)
        expected += self.penalty
        return Evaluation(value, gradient, expected)

    def residual(self, gradient: Vector) -> float:
        """Root mean square of the gradient in units of each cell's noise."""
        cells = max(1.0, float(self.free.sum()))
        scaled = gradient / self.sigma
        return math.sqrt(float(scaled @ scaled) / cells)
