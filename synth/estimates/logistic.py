"""Compute logistic regressions from a noisy score at a public start (`core.measurements.logistic`).

All places (scaled values) are divided by the largest place of the column. With the noisy score g and
information H at the start b0, and the same functions U and H of the synthetic rows, the coefficients b = b0 +
d solve

    g - H d + k [U(b) - U(b0) + H(b0) d] = 0,

where k is the number of records per synthetic row. The score g and its slope H are measured. Only the
remaining curvature, R = k [...], comes from the synthetic rows. The noise has the covariance S = v_g + D(d)
v_h D(d)', where D maps the noise of H to the noise of H d. The variance of b is J^-1 (S + m J) J^-1 with J =
H + k [H(b) - H(b0)], where m = 0 for the records themselves, and m is the maximum number of rows of a unit
for the population. If the log odds are not linear, the score varies more or less than J. So the variance due
to sampling is multiplied by max(1, robust variance / usual variance) (White 1982), both from the synthetic
rows.

R is not exact. With |R|^2 = R' S^-1 R, R changes any linear combination of coefficients by at most |R|
standard deviations of its noise. On Adult, with good and bad starting points, the average error of a
coefficient was at most a fourteenth of this. So intervals allow for a bias of |R| / UNSURE standard
deviations (Armstrong and Kolesar 2018). There is no answer if R' (S + J)^-1 R is above FAR^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import hypot, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from synth.core.measurements.logistic import (
    CHANCE,
    OF_INFORMATION,
    OF_SCORE,
    SPREAD,
    STEP,
    Columns,
    Score,
    slopes_at,
    sums_at,
)
from synth.core.measurements.noisy import NoisyNumbers
from synth.estimates.regression import Estimate

CLEAR = 2.0
"""Minimum of the smallest eigenvalue of the information, in standard deviations of its noise.

For this check, the information is computed with places between -1/2 and 1/2.
"""

UNSURE, FAR = 12.0, 8.0
"""The inverse of the share of R that may be wrong (UNSURE), and the largest effect of R, in standard
deviations of an estimate (FAR).
"""

HIDDEN = "The noise is too large for this regression. A larger share of the budget would help."
UNLIKE = (
    "The synthetic rows differ too much from the private records to start from. A method that measures the "
    "relations of these columns would help."
)

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class NoisyScore:
    """A noisy score and information, with the synthetic rows that determined the starting point.

    `columns` contains the synthetic rows on the lattices, each of which represents `weight` records. `rows`
    is the maximum number of rows of a unit. Shapes: `values` float64[entries], divided by the scales. The
    noise of all values has the same `variance`.
    """

    score: Score
    values: Vector
    variance: float
    columns: Columns
    weight: float
    rows: int = 1

    @staticmethod
    def of(answer: NoisyNumbers, columns: Columns, *, weight: float, rows: int) -> NoisyScore:
        """Return the score in the answer to its query."""
        score = Score.of(answer.requested)
        values = answer.values / np.array(score.scales, dtype=np.float64)
        variance = float(answer.variance)
        return NoisyScore(
            score=score, values=values, variance=variance, columns=columns, weight=weight, rows=rows
        )

    def regression(self, *, level: float) -> list[Estimate] | str:
        """Return the constant and the slopes in the units of the columns, or the reason why there are
        none.
        """
        solved = self._solved
        if isinstance(solved, str):
            return solved
        terms = self.score.regressors.terms
        rows = np.diag([1.0, *(1 / term.half for term in terms)])
        rows[0, 1:] = [-term.middle / term.half for term in terms]
        return [self._estimate(row, *solved, level=level) for row in rows]

    def _estimate(
        self, weights: Vector, b: Vector, noise: Vector, j: Vector, unsure: float, *, level: float
    ) -> Estimate:
        value, moved = float(weights @ b), np.linalg.solve(j, weights)
        parts = noise, self.rows * self._spread(weights) * j
        sds = [sqrt(max(float(moved @ part @ moved), 0.0)) for part in parts]
        spans = []
        for sd in (sds[0], hypot(*sds)):
            half = sd * _quantile(unsure * sds[0] / sd, level)
            spans.append((value - half, value + half))
        return Estimate(value=value, interval=spans[0], population=spans[1], noise=sds[0], sampling=sds[1])

    def _spread(self, weights: Vector) -> float:
        """Return the factor for the variance, due to sampling, of a weighted sum of coefficients."""
        robust, usual = (float(weights @ part @ weights) for part in self._of_rows)
        return max(1.0, robust / usual) if usual > 0 else 1.0

    @cached_property
    def _of_rows(self) -> tuple[Vector, Vector]:
        """Return the robust and the usual covariance of the coefficients of the synthetic rows.

        One step from the start removes its penalty.
        """
        block, start = self.score.block, np.array(self.score.start) / STEP
        score, information = slopes_at(block, self.columns, start)
        _, information, squares = sums_at(block, self.columns, start + np.linalg.pinv(information) @ score)
        usual = np.asarray(np.linalg.pinv(information), dtype=np.float64)
        return usual @ squares @ usual, usual

    @cached_property
    def _solved(self) -> tuple[Vector, Vector, Vector, float] | str:
        """Return the coefficients, the covariance S of the noise, J, and the possible bias.

        The bias is in standard deviations of the noise. If there is no solution, return the reason.
        """
        g, h = self._parts(self.values)
        spread = sqrt(self.variance) * OF_INFORMATION * self.score.largest[1] / SPREAD
        halves = np.array([1.0, *[0.5] * (len(g) - 1)])
        if np.linalg.eigvalsh(h * np.outer(halves, halves))[0] < CLEAR * spread:
            return HIDDEN
        start, block = np.array(self.score.start) / STEP, self.score.block
        own = self.score.sums(self.columns) / np.array(self.score.scales, dtype=np.float64)
        u0, h0 = (self.weight * part for part in self._parts(own))
        d = np.zeros(len(g))
        for _ in range(100):
            u, information = (self.weight * part for part in slopes_at(block, self.columns, start + d))
            j = h + information - h0
            if np.linalg.eigvalsh(j)[0] <= 0:
                j = h
            curved = u - u0 + h0 @ d
            step = np.linalg.solve(j, g - h @ d + curved)
            if np.abs(step).max() < 1e-8:
                noise = self._noise(d)
                away, far = (
                    sqrt(float(curved @ np.linalg.solve(part, curved)))
                    for part in (noise, noise + self.rows * j)
                )
                return UNLIKE if far > FAR else (start + d, noise, j, away / UNSURE)
            d += step / max(1.0, float(np.abs(step).max()))
        return UNLIKE

    def _parts(self, values: Vector) -> tuple[Vector, Vector]:
        """Return the score and the information for places from -1 to 1, computed from the divided entries."""
        size = len(self.score.block.terms)
        residual, spread = self.score.largest
        return (
            values[:size] * OF_SCORE * residual / CHANCE,
            values[size:][self.score.regressors.place] * OF_INFORMATION * spread / SPREAD,
        )

    def _noise(self, d: Vector) -> Vector:
        residual, spread = self.score.largest
        of_score = self.variance * (OF_SCORE * residual / CHANCE) ** 2
        of_information = self.variance * (OF_INFORMATION * spread / SPREAD) ** 2
        moved = np.zeros((len(d), len(self.score.regressors.entries)))
        for i, row in enumerate(self.score.regressors.place):
            np.add.at(moved[i], row, d)
        noise: Vector = of_score * np.eye(len(d)) + of_information * (moved @ moved.T)
        return noise


def _quantile(bias: float, level: float) -> float:
    """Return the half-width of an interval at this level for a normal estimate with variance 1 and this
    bias.
    """
    normal = NormalDist()
    low, high = 0.0, bias + normal.inv_cdf(0.5 + level / 2)
    for _ in range(60):
        middle = (low + high) / 2
        is_enough = normal.cdf(middle - bias) - normal.cdf(-middle - bias) >= level
        low, high = (low, middle) if is_enough else (middle, high)
    return high
