"""Compute linear regressions and means of groups from measured sums of products.

The sums are defined in `core.measurements.moments`.

Each entry is divided by its largest product, so all places z are in [-1, 1] and all noise has the same
variance v. With the noisy sums A of z z' and c of z y, the slopes are b = A^-1 c, and h = c - A b is linear
in the noise and has the covariance S(b). To first order, the variance of b is A^-1 (S + J) A^-1. J = 0 for
the records themselves, and J = k s^2 A for the population, where s^2 is the variance of the residuals and k
the maximum number of rows of a unit. The sums do not reveal that residuals vary more in some places. So the
variance due to sampling is multiplied by max(1, robust variance / usual variance) (White 1980), with both
variances computed from the synthetic rows. If the noise is not far below A, it also moves A^-1. So the
interval of a slope contains all values for which h' (S + J)^-1 h, minimised over the other coefficients, is
at most the chi-squared quantile (`linear.profiles`). It is unbounded if A may be singular.

A mean is the ratio of the noisy sum s and the noisy count n. Its interval contains all t with |s - t n| <= z
sqrt(v (1 + t^2)) (Fieller 1954).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from synth.core.accounting.law import Noise
from synth.core.measurements.logistic import Columns
from synth.core.measurements.moments import Block
from synth.core.measurements.noisy import NoisyNumbers
from synth.estimates.estimated import Span, limited
from synth.estimates.profiles import Equations

CERTAIN = 5.0
"""Minimum distance of the number of records from zero, in standard deviations, at which a regression is
computed.
"""

Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """An estimate, with its intervals and the standard deviations due to noise and sampling."""

    value: float
    interval: Span
    population: Span
    noise: float
    sampling: float

    def times(self, factor: float, plus: float = 0.0) -> Estimate:
        """Return the estimate of a linear function with a positive factor."""
        interval, population = (
            (factor * span[0] + plus, factor * span[1] + plus) for span in (self.interval, self.population)
        )
        return Estimate(
            value=factor * self.value + plus,
            interval=interval,
            population=population,
            noise=factor * self.noise,
            sampling=factor * self.sampling,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Sums:
    """The noisy sums of one group, each divided by its largest product.

    `variance` is the variance of each entry, and `rows` is the maximum number of rows of a unit. Shapes:
    `values` float64[entries].
    """

    block: Block
    values: Vector
    variance: float
    rows: int = 1

    @staticmethod
    def of(answer: NoisyNumbers, rows: int) -> list[Sums]:
        """Return the sums of each group, in the order of its codes."""
        block = Block.of(answer.requested)
        values = (answer.numbers / block.products).reshape(-1, len(block.entries))
        rounding = 1 / 12 if answer.law.noise is Noise.ROUNDED else 0.0
        variance = float(answer.variance) + rounding
        return [Sums(block=block, values=one, variance=variance, rows=rows) for one in values]

    @property
    def place(self) -> NDArray[np.intp]:
        """Return the position of each pair of terms in `values`."""
        return self.block.place

    def mean(self, term: int, *, level: float) -> Estimate | None:
        """Return the mean of a term, from -1 to 1, or None if the interval is unbounded."""
        n, s = self.values[0], self.values[self.place[0, term]]
        z = NormalDist().inv_cdf(0.5 + level / 2)
        above = n * n - z * z * self.variance
        if n <= 0 or above <= 0:
            return None
        value = s / n
        spread = max(self.values[self.place[term, term]] - s * value, 0.0) * self.rows
        spans = []
        for extra in (0.0, spread):
            root = (n * s) ** 2 - above * (s * s - z * z * (self.variance + extra))
            half = sqrt(max(root, 0.0)) / above
            spans.append(limited((n * s / above - half, n * s / above + half), -1.0, 1.0))
        noise = sqrt(self.variance * (1 + value**2)) / n
        sds = {"noise": noise, "sampling": sqrt(spread) / n}
        value = min(max(value, spans[0][0]), spans[0][1])
        return Estimate(value=value, interval=spans[0], population=spans[1], **sds)

    def regression(
        self, regressors: Sequence[int], response: int, *, level: float, columns: Columns | None = None
    ) -> list[Estimate | None]:
        """Return the constant and the slope of each regressor, in the units of the columns.

        The arguments are the numbers of terms, starting at 1. `columns` contains the synthetic rows on the
        lattices. An estimate is None if its interval is unbounded.
        """
        if self.values[0] <= CERTAIN * sqrt(self.variance):
            return [None] * (len(regressors) + 1)
        fit = _Fit(self, (0, *regressors), response, columns)
        y, terms = self.block.terms[response - 1], [self.block.terms[i - 1] for i in regressors]
        weights = np.diag([1.0, *(1 / term.half for term in terms)])
        weights[0, 1:] = [-term.middle / term.half for term in terms]
        constant, *slopes = (fit.linear(row, level) for row in weights)
        return [constant and constant.times(y.half, y.middle), *(s and s.times(y.half) for s in slopes)]


@dataclass(frozen=True, eq=False)
class _Fit:
    """A regression on the terms `on`, of which the first is the constant."""

    sums: Sums
    on: tuple[int, ...]
    response: int
    columns: Columns | None = None

    @cached_property
    def a(self) -> Vector:
        return self.sums.values[self.sums.place[np.ix_(self.on, self.on)]]

    @cached_property
    def c(self) -> Vector:
        return self.sums.values[self.sums.place[list(self.on), self.response]]

    @cached_property
    def slopes(self) -> Vector:
        return np.asarray(np.linalg.lstsq(self.a, self.c, rcond=None)[0], dtype=np.float64)

    @cached_property
    def residual(self) -> float:
        """Return the variance of the residuals."""
        b, whole = self.slopes, self.sums.values[self.sums.place[self.response, self.response]]
        return float(max(whole - 2 * b @ self.c + b @ self.a @ b, 1e-9) / max(self.sums.values[0], 1.0))

    @cached_property
    def sampling(self) -> Vector:
        """Return J, which is the part of the variance due to sampling. A is treated as positive definite."""
        lowest = float(np.linalg.eigvalsh(self.a)[0])
        a = self.a + np.eye(len(self.a)) * max(0.0, 1e-6 - lowest)
        return self.sums.rows * self.residual * a

    def spread(self, weights: Vector) -> float:
        """Return the factor for the variance, due to sampling, of a weighted sum of the constant and the
        slopes.
        """
        robust, usual = (float(weights @ part @ weights) for part in self._of_rows)
        return max(1.0, robust / usual) if usual > 0 else 1.0

    @cached_property
    def _of_rows(self) -> tuple[Vector, Vector]:
        """Return the robust and the usual covariance of the coefficients, computed from the synthetic
        rows.
        """
        if self.columns is None:
            return np.zeros((len(self.on), len(self.on))), np.zeros((len(self.on), len(self.on)))
        terms = [self.sums.block.terms[i - 1] for i in (*self.on[1:], self.response)]
        kept = np.all([self.columns[term.column] < term.cells for term in terms], axis=0)
        places = [t.places()[self.columns[t.column][kept]] / t.bound for t in terms]
        x, y = np.column_stack([np.ones(int(kept.sum())), *places[:-1]]), places[-1]
        inverse = np.linalg.pinv(x.T @ x)
        residuals = y - x @ (inverse @ (x.T @ y))
        weighted = x * residuals[:, None]
        usual = inverse * float(residuals @ residuals) / max(1, len(y))
        return inverse @ (weighted.T @ weighted) @ inverse, usual

    def linear(self, weights: Vector, level: float) -> Estimate | None:
        """Return a sum of the constant and the slopes, or None if its intervals have no ends."""
        value, z = float(weights @ self.slopes), NormalDist().inv_cdf(0.5 + level / 2)
        moved, w = np.linalg.pinv(self.a) @ weights, np.array([1.0, *-self.slopes])
        spans, sds = [], []
        for sampling in (np.zeros_like(self.a), self.spread(weights) * self.sampling):
            equations = Equations(
                matrix=np.column_stack([self.c, self.a]),
                variance=self.sums.variance,
                is_yes_no=np.array([self.sums.block.bounds[i] == 1 for i in self.on]),
                sampling=sampling,
            )
            sds.append(sqrt(max(float(moved @ equations.covariance(w) @ moved), 0.0)))
            spans.append(equations.span(weights, z, near=value, sd=sds[-1]))
        if spans[0] is None or spans[1] is None:
            return None
        sampled = sqrt(max(sds[1] ** 2 - sds[0] ** 2, 0.0))
        return Estimate(value=value, interval=spans[0], population=spans[1], noise=sds[0], sampling=sampled)
