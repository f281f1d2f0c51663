"""The minimiser on objectives whose minima are known."""

import math

import numpy as np
import pytest

from synth.models.pgm.lbfgs import Evaluation, Search, Vector, minimise


def norm(gradient: Vector) -> float:
    return float(np.sqrt(gradient @ gradient))


def quadratic(seed: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size, size)) * 10 ** rng.uniform(-2, 2, size)
    return root @ root.T + np.eye(size), rng.normal(size=size)


@pytest.mark.parametrize("seed", range(5))
def test_a_badly_scaled_quadratic_is_solved(seed: int) -> None:
    matrix, target = quadratic(seed, 12)

    def objective(x: Vector) -> Evaluation:
        gradient = matrix @ (x - target)
        return Evaluation(0.5 * float((x - target) @ gradient), gradient, np.diag(matrix).copy())

    found = minimise(objective, np.zeros(12), residual=norm, search=Search(tolerance=1e-5, evaluations=3000))
    assert found.converged and found.residual <= 1e-5
    assert np.allclose(found.point, target, atol=1e-4)


def test_a_good_idea_of_the_inverse_saves_steps() -> None:
    matrix, target = quadratic(0, 12)
    inverse = np.linalg.inv(matrix * np.random.default_rng(1).uniform(0.9, 1.1))

    def objective(x: Vector) -> Evaluation:
        gradient = matrix @ (x - target)
        return Evaluation(0.5 * float((x - target) @ gradient), gradient, np.diag(matrix).copy())

    search = Search(tolerance=1e-5, evaluations=3000)
    plain = minimise(objective, np.zeros(12), residual=norm, search=search)
    helped = minimise(objective, np.zeros(12), residual=norm, search=search, inverse=lambda v: inverse @ v)
    assert helped.converged and np.allclose(helped.point, target, atol=1e-4)
    assert helped.evaluations < plain.evaluations / 3


def test_a_steep_convex_objective_needs_shorter_steps() -> None:
    calls: list[float] = []

    def objective(x: Vector) -> Evaluation:
        calls.append(float(x[0]))
        value = float(np.exp(np.clip(x, None, 700)).sum() - 3 * x.sum())
        return Evaluation(value, np.exp(np.clip(x, None, 700)) - 3, np.full(2, 0.01))

    found = minimise(
        objective, np.array([-20.0, 2.0]), residual=norm, search=Search(tolerance=1e-9, evaluations=500)
    )
    assert np.allclose(found.point, math.log(3), atol=1e-8)
    assert np.abs(np.diff(calls)).max() <= 16.0 + 1e-9  # a trial lies at most one limit from either side


def test_it_stops_when_good_enough_or_used_up() -> None:
    def objective(x: Vector) -> Evaluation:
        return Evaluation(float((x**4).sum()), 4 * x**3, np.full(1, 40.0))

    start = np.array([1.0])
    at_once = minimise(objective, start, residual=norm, search=Search(tolerance=4.0, evaluations=9))
    assert at_once.converged and at_once.evaluations == 1 and at_once.point is start and at_once.is_latest
    early = minimise(objective, start, residual=norm, search=Search(tolerance=1e-300, evaluations=3))
    assert not early.converged and early.evaluations == 3 and early.residual > 0


def test_not_finite_trials_are_not_taken_and_such_a_start_is_refused() -> None:
    def objective(x: Vector) -> Evaluation:
        value = float(x[0]) ** 2 if x[0] > 0.5 else math.nan
        return Evaluation(value, 2 * x, np.full(1, 0.1))

    found = minimise(objective, np.array([4.0]), residual=norm, search=Search(tolerance=1e-9, evaluations=60))
    assert 0.5 < found.point[0] < 4.0 and not found.converged
    with pytest.raises(ArithmeticError, match="not finite"):
        minimise(objective, np.array([0.0]), residual=norm, search=Search(tolerance=1.0, evaluations=9))
