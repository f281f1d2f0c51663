"""The dual of least squares with a ridge: what a fit minimises."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from synth.generate.pgm.lbfgs import Evaluation, Vector
from synth.generate.pgm.propagation import Propagation

Matrix = NDArray[np.float64]
T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, eq=False, kw_only=True)
class Slope:
    """A penalty on the steps of a log-factor along one axis of its table.

    The table starts at cell `first` of the vector and has this `shape`; of the `axis` the first `steps` + 1
    entries are in order; `weight` is that of half a squared step.
    """

    first: int
    shape: tuple[int, ...]
    axis: int
    steps: int
    weight: float

    def parts(self, vector: NDArray[T]) -> tuple[NDArray[T], NDArray[T]]:
        """Views of the cells before and after each step."""
        table = vector[self.first : self.first + math.prod(self.shape)].reshape(self.shape)
        along = np.moveaxis(table, self.axis, 0)
        return along[: self.steps], along[1 : self.steps + 1]

    def pull(self, point: Vector, onto: Vector) -> None:
        """Add the penalty's gradient."""
        before, after = self.parts(point)
        change = (after - before) * self.weight
        low, high = self.parts(onto)
        low -= change
        high += change

    def stiffen(self, diagonal: Vector) -> None:
        """Add the penalty's curvature."""
        for part in self.parts(diagonal):
            part += self.weight

    def couple(self, hessian: Matrix) -> None:
        """Add the penalty's whole curvature."""
        before, after = self.parts(np.arange(len(hessian)))
        hessian[before, before] += self.weight
        hessian[after, after] += self.weight
        hessian[before, after] -= self.weight
        hessian[after, before] -= self.weight


@dataclass(frozen=True, eq=False, kw_only=True)
class RidgeDual:
    """total * log Z(base + l) - l.y + 1/2 sum penalty * l^2 over the free cells of the measured tables, and
    half the weighted squares of `slopes`.

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
    slopes: Sequence[Slope] = ()

    def __call__(self, point: Vector) -> Evaluation:
        log_partition = self.propagation.sweep(np.concatenate([self.base + point, self.fixed]))
        pull = self.penalty * point
        for slope in self.slopes:
            slope.pull(point, pull)
        expected = self.total * self.propagation.marginals
        gradient = expected - self.counts
        gradient += pull
        gradient *= self.free
        value = self.total * log_partition - float(point @ self.counts) + 0.5 * float(pull @ point)
        expected += self.penalty
        for slope in self.slopes:
            slope.stiffen(expected)
        return Evaluation(value, gradient, expected)

    def add_penalties(self, hessian: Matrix) -> None:
        """Add the curvature of slopes and ridge to that of the log-partition, and uncouple cells that are not
        free. Shapes: float64[cells, cells]."""
        for slope in self.slopes:
            slope.couple(hessian)
        hessian *= self.free
        hessian *= self.free[:, None]
        hessian[np.diag_indices_from(hessian)] += self.penalty

    def residual(self, gradient: Vector) -> float:
        """Root mean square of the gradient in units of each cell's noise."""
        cells = max(1.0, float(self.free.sum()))
        scaled = gradient / self.sigma
        return math.sqrt(float(scaled @ scaled) / cells)
