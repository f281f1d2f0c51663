"""The objective that a fit minimises: the dual of least squares with a ridge penalty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from synth.models.pgm.lbfgs import Evaluation, Vector
from synth.models.pgm.propagation import Propagation


@dataclass(frozen=True, kw_only=True)
class Slope:
    """A penalty on the differences of a log-factor between neighbouring codes along one axis of its table.

    The table starts at cell `first` of the vector and has the shape `shape`. The first `steps` + 1 entries of
    the `axis` are ordered. The penalty of a difference is `weight` / 2 times its square.
    """

    first: int
    shape: tuple[int, ...]
    axis: int
    steps: int
    weight: float

    def cells(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the cells before and after each difference."""
        table = np.arange(self.first, self.first + math.prod(self.shape)).reshape(self.shape)
        along = np.moveaxis(table, self.axis, 0)
        return along[: self.steps].ravel(), along[1 : self.steps + 1].ravel()


def smoothness(slopes: Sequence[Slope], cells: int) -> sparse.csr_array:
    """Return the matrix L for which l L l / 2 is the sum of all slope penalties of a vector l with `cells`
    cells.
    """
    before, after = (np.concatenate(part) for part in zip(*(s.cells() for s in slopes), strict=True))
    weights = np.repeat([s.weight for s in slopes], [s.cells()[0].size for s in slopes])
    rows = np.concatenate([before, after, before, after])
    columns = np.concatenate([before, after, after, before])
    values = np.concatenate([weights, weights, -weights, -weights])
    return sparse.csr_array((values, (rows, columns)), shape=(cells, cells))


@dataclass(frozen=True, eq=False, kw_only=True)
class RidgeDual:
    """The objective total * log Z(base + l) - l.y + 1/2 sum penalty * l^2 over the free cells of the measured
    tables. If a matrix L of `smoothness` is given, l L l / 2 is added.

    Vectors contain the cells of all measured factors. `fixed` contains the log-factors of structural zeros,
    which follow the measured factors. Cells that are not `free` (impossible cells) keep l = 0 and do not
    affect the objective. The gradient is (expected counts) - y + penalty * l, which takes one sweep per
    evaluation. The objective is strictly convex.
    """

    propagation: Propagation
    counts: Vector
    sigma: Vector
    penalty: Vector
    base: Vector
    fixed: Vector
    free: Vector
    total: float
    smoothness: sparse.csr_array | None = None

    def __call__(self, point: Vector) -> Evaluation:
        log_partition = self.propagation.sweep(np.concatenate([self.base + point, self.fixed]))
        pull = self.penalty * point
        expected = self.total * self.propagation.marginals
        curvature = expected + self.penalty
        if self.smoothness is not None:
            pull += self.smoothness @ point
            curvature += self.smoothness.diagonal()
        gradient = expected - self.counts
        gradient += pull
        gradient *= self.free
        value = self.total * log_partition - float(point @ self.counts) + 0.5 * float(pull @ point)
        return Evaluation(value, gradient, curvature)

    def add_penalties(self, hessian: NDArray[np.float64]) -> None:
        """Add the curvature of slopes and ridge to the curvature of the log-partition, and decouple cells
        that are not free. Shapes: float64[cells, cells].
        """
        if self.smoothness is not None:
            hessian += self.smoothness.toarray()
        hessian *= self.free
        hessian *= self.free[:, None]
        hessian[np.diag_indices_from(hessian)] += self.penalty

    def residual(self, gradient: Vector) -> float:
        """Return the root mean square of the gradient in units of each cell's noise."""
        cells = max(1.0, float(self.free.sum()))
        scaled = gradient / self.sigma
        return math.sqrt(float(scaled @ scaled) / cells)
