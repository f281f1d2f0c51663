"""Compute intervals from noisy normal equations, by the profile likelihood.

Let A and c be the noisy sums of z z' and z y, M = (c, A) and w = (1, -b). Then M w = c - A b is linear in the
noise. It is normal with a covariance V(w) that is known for every b. So the minimum of w' M' V(w)^-1 M w over
all w that satisfy a hypothesis is -2 log(likelihood ratio), for any true A (structured total least squares,
De Moor 1993). It does not depend on the length of w, so unbounded slopes are directions with w_0 = 0. The
numbers of equations and coefficients are equal, so a hypothesis about one weighted sum of coefficients is
compared with chi-squared with one degree of freedom. This is conservative if the noise hides other
coefficients. Guggenberger, Kleibergen, Mavroeidis and Chen (2012) prove this for equations with equal
covariances, and `bench.regressions` measures it for the equations here.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin, sqrt, tan

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from synth.estimates.estimated import Span

Vector = NDArray[np.float64]

STEPS, PRECISE = 100, 1e-9
"""Maximum number of steps of Newton's method, and the relative change of the statistic at which it stops."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Equations:
    """The noisy normal equations of p coefficients, of which the first is the constant.

    Shapes: `matrix` float64[p, p + 1] is (c, A); `sampling` float64[p, p] is the covariance of c - A b due to
    sampling; `is_yes_no` bool[p] marks the coefficients whose squares sum to the number of records. All
    entries have independent noise with this `variance`. An entry that appears in A several times is measured
    once.
    """

    matrix: Vector
    variance: float
    is_yes_no: NDArray[np.bool_]
    sampling: Vector

    def covariance(self, w: Vector) -> Vector:
        """Return V(w). Shapes: float64[p, p]."""
        noise = self.variance * self._mixed(w[1:], float(w @ w))
        return np.asarray(noise + w[0] ** 2 * self.sampling)

    def span(self, weights: Vector, level_z: float, *, near: float, sd: float) -> Span | None:
        """Return the interval of a weighted sum of coefficients, or None if it is unbounded.

        `near` is the estimate, and `sd` is its standard deviation.
        """
        ends = []
        for side in (-1.0, 1.0):
            reach = side * level_z * sd

            def excess(angle: float, reach: float = reach) -> float:
                """Return the excess of the deviation at `near` + `reach` tan(angle)."""
                normal = np.append(cos(angle) * near + sin(angle) * reach, cos(angle) * weights)
                return sqrt(max(self.least(normal), 0.0)) - level_z

            if excess(pi / 2) <= 0:
                return None
            ends.append(near + reach * tan(float(brentq(excess, 0.0, pi / 2, xtol=1e-5))))
        return ends[0], ends[1]

    def least(self, normal: Vector) -> float:
        """Return the minimum over all w orthogonal to `normal`, by Newton's method."""
        basis = np.linalg.svd(normal[None, :])[2][1:].T
        x = np.linalg.svd(self.matrix @ basis)[2][-1]
        value, gradient, hessian = self._at(x, basis)
        damping = 0.0
        for _ in range(STEPS):
            curvatures, axes = np.linalg.eigh(hessian + (np.abs(hessian).max() or 1.0) * np.outer(x, x))
            step = axes @ (axes.T @ gradient / (np.abs(curvatures) + damping))
            moved = (x - step) / np.linalg.norm(x - step)
            found = self._at(moved, basis)
            if found[0] < value:
                is_done = value - found[0] <= PRECISE * (1 + value)
                x, (value, gradient, hessian), damping = moved, found, damping / 10
                if is_done:
                    break
            elif float(gradient @ step) <= PRECISE * (1 + value):
                break
            else:
                damping = max(10 * damping, float(np.abs(curvatures).max()) / 1000)
        return value

    def _at(self, x: Vector, basis: Vector) -> tuple[float, Vector, Vector]:
        """Return the statistic at `basis` x, with half of its gradient and half of its Hessian."""
        w = basis @ x
        b, inverse = w[1:], np.linalg.inv(self.covariance(w))
        q = inverse @ (self.matrix @ w)
        pulled = self.sampling @ q
        of_q = self.variance * float(q @ q) * np.eye(len(w))
        of_q[1:, 1:] = self.variance * self._mixed(q, float(q @ q))
        of_q[0, 0] += q @ pulled
        moved = 2 * np.outer(q, w)
        for mask in (np.ones_like(b), self.is_yes_no * 1.0):
            r, s = mask * b, mask * q
            moved[:, 1:] += float(r @ s) * np.diag(mask) + np.outer(r, s) - 2 * np.diag(r * s)
        moved = self.variance * moved
        moved[:, 0] += 2 * w[0] * pulled
        rest = (self.matrix - moved) @ basis
        gradient = basis.T @ (self.matrix.T @ q - of_q @ w)
        return float(q @ self.matrix @ w), gradient, rest.T @ inverse @ rest - basis.T @ of_q @ basis

    def _mixed(self, b: Vector, squared: float) -> Vector:
        """Return the covariance of N b for symmetric noise N of variance 1, with `squared` as its diagonal.

        It is singular if b is the constant plus or minus one indicator, so the diagonal is slightly larger.
        """
        s = self.is_yes_no * b
        mixed = np.outer(b, b) + np.outer(s, s)
        np.fill_diagonal(mixed, squared * (1 + PRECISE))
        return mixed
