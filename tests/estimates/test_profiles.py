"""Test the profile likelihood of noisy normal equations."""

import numpy as np
import pytest
from scipy.optimize import minimize

from synth.core.measurements.moments import Block, Term
from synth.estimates.profiles import Equations

BLOCK = Block(
    (
        Term(column="age", cells=91, low=0.0, high=90.0, name="age"),
        *(Term(column="town", cells=3, code=code, name=f"town {code}") for code in (1, 2)),
        Term(column="pay", cells=100, name="pay"),
    )
)
ON, Y, VARIANCE = [0, 1, 2, 3], 4, 9.0


def equations(rng: np.random.Generator, sampling: float) -> Equations:
    matrix = rng.normal(0, 3, len(BLOCK.entries))[BLOCK.place][np.ix_(ON, [Y, *ON])]
    half = rng.normal(0, 1, (4, 4))
    yes_no = np.array([True, False, True, True])
    return Equations(matrix=matrix, variance=VARIANCE, is_yes_no=yes_no, sampling=sampling * half @ half.T)


def covariance(found: Equations, w: np.ndarray) -> np.ndarray:
    """Entry by entry."""
    of = np.zeros((4, len(BLOCK.entries)))
    for row, i in enumerate(ON):
        for column, j in enumerate([Y, *ON]):
            of[row, BLOCK.place[i, j]] += w[column]
    return np.asarray(VARIANCE * of @ of.T + w[0] ** 2 * found.sampling)


@pytest.mark.parametrize("sampling", [0.0, 20.0])
def test_the_least_statistic_is_that_of_a_plain_search(sampling: float) -> None:
    rng = np.random.default_rng(1)
    for _ in range(3):
        found, normal = equations(rng, sampling), rng.normal(0, 1, 5)
        basis = np.linalg.svd(normal[None, :])[2][1:].T

        def statistic(x: np.ndarray, found: Equations = found, basis: np.ndarray = basis) -> float:
            w = basis @ x / np.linalg.norm(x)
            h = found.matrix @ w
            return float(h @ np.linalg.solve(covariance(found, w), h))

        plain = min(float(minimize(statistic, rng.normal(0, 1, 4)).fun) for _ in range(12))
        assert found.least(normal) == pytest.approx(plain, abs=1e-6)
        assert found.covariance(normal) == pytest.approx(covariance(found, normal), rel=1e-8)


def test_the_slope_of_an_indicator_has_no_ends_if_its_group_may_be_empty() -> None:
    for few, has_ends in ((10.0, False), (15.0, True)):
        a = np.array([[1000.0, 2 * few - 1000], [2 * few - 1000, 1000.0]])
        found = Equations(
            matrix=np.column_stack([a @ [0.3, 0.1], a]),
            variance=VARIANCE,
            is_yes_no=np.array([True, True]),
            sampling=np.zeros((2, 2)),
        )
        deviations = 2 * few / (2 * VARIANCE) ** 0.5
        assert found.least(np.array([1.0, 0.0, 0.0])) == pytest.approx(deviations**2, rel=1e-6)
        assert (found.span(np.array([0.0, 1.0]), 5.0, near=0.1, sd=0.1) is not None) is has_ends
