"""The dual objective: its value by definition, and its gradient by finite differences."""

from dataclasses import replace

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.models.pgm.objective import RidgeDual, Slope, smoothness
from synth.models.pgm.propagation import Propagation
from synth.models.pgm.schedule import Schedule
from tests.models.pgm import brute_force


def dual(domain: Domain, cliques: list[Clique]) -> tuple[RidgeDual, Schedule]:
    rng = np.random.default_rng(0)
    masks = [sum(1 << i for i in domain.axes(clique)) for clique in cliques]
    plan = Schedule.of(domain, masks, len(masks))
    propagation = Propagation(plan)
    cells = propagation.marginals.size
    free = np.ones(cells)
    free[::5] = 0.0
    return RidgeDual(
        propagation=propagation,
        counts=rng.normal(20, 30, cells) * free,
        sigma=rng.uniform(1, 9, cells),
        penalty=rng.uniform(1, 9, cells),
        base=rng.normal(size=cells),
        fixed=np.empty(0),
        free=free,
        total=150.0,
    ), plan


def test_the_value_is_by_definition_and_the_gradient_its_slope(domain: Domain, cliques: list[Clique]) -> None:
    objective, plan = dual(domain, cliques)
    point = np.random.default_rng(1).normal(size=objective.free.size) * objective.free
    factors, first = [], 0
    for mask in plan.factors:
        shape = plan.tree.shape(mask)
        size = int(np.prod(shape))
        table = (objective.base + point)[first : first + size].reshape(shape)
        factors.append((tuple(domain.names[i] for i in plan.tree.layout(mask)), table))
        first += size
    log_partition = brute_force.log_partition(domain, factors)
    value = 150 * log_partition - point @ objective.counts + 0.5 * (objective.penalty * point) @ point
    evaluation = objective(point)
    assert evaluation.value == pytest.approx(value, rel=1e-11)
    for i in range(0, point.size, 7):
        step = np.zeros_like(point)
        step[i] = 1e-5
        slope = (objective(point + step).value - objective(point - step).value) / 2e-5
        expected = slope if objective.free[i] else 0.0
        assert evaluation.gradient[i] == pytest.approx(expected, abs=1e-4)
    assert (evaluation.curvature > 0).all()


def test_the_residual_is_in_units_of_noise_over_free_cells(domain: Domain) -> None:
    objective, _ = dual(domain, [("a", "c")])
    gradient = 3.0 * objective.sigma * objective.free
    assert objective.residual(gradient) == pytest.approx(3.0)


def test_a_slope_penalises_steps_between_its_first_codes_only() -> None:
    slope = Slope(first=2, shape=(2, 4), axis=1, steps=2, weight=3.0)
    point = np.arange(12.0) ** 2
    matrix = smoothness([slope], 12)
    expected = 1.5 * np.square(np.diff(point[2:10].reshape(2, 4)[:, :3], axis=1)).sum()
    assert 0.5 * point @ (matrix @ point) == pytest.approx(expected)
    assert matrix.diagonal()[2:10].reshape(2, 4).tolist() == [[3.0, 6.0, 3.0, 0.0]] * 2
    assert (matrix @ point)[[0, 1, 5, 9, 10, 11]].tolist() == [0.0] * 6


def smoothed(plain: RidgeDual, plan: Schedule) -> RidgeDual:
    """Return the same objective with slopes along all columns of the first table."""
    shape = plan.tree.shape(plan.factors[0])
    slopes = [Slope(first=0, shape=shape, axis=axis, steps=n - 1, weight=7.0) for axis, n in enumerate(shape)]
    return replace(plain, smoothness=smoothness(slopes, plain.free.size))


def test_the_gradient_counts_the_slopes(domain: Domain) -> None:
    plain, plan = dual(domain, [("a", "c"), ("c", "e")])
    objective = smoothed(plain, plan)
    point = np.random.default_rng(1).normal(size=plain.free.size) * plain.free
    evaluation = objective(point)
    for i in range(0, 12, 2):
        step = np.zeros_like(point)
        step[i] = 1e-5
        slope = (objective(point + step).value - objective(point - step).value) / 2e-5
        assert evaluation.gradient[i] == pytest.approx(slope * plain.free[i], abs=1e-4)
    assert evaluation.value > plain(point).value
    assert (evaluation.curvature >= plain(point).curvature).all()


def test_the_penalties_curvature_is_the_gradients_change(domain: Domain) -> None:
    plain, plan = dual(domain, [("a", "c"), ("c", "e")])
    objective = smoothed(plain, plan)
    hessian = np.zeros((plain.free.size, plain.free.size))
    objective.add_penalties(hessian)
    step = np.random.default_rng(1).normal(size=plain.free.size) * plain.free
    without = replace(plain, penalty=np.zeros_like(plain.penalty))  # what the log-partition alone does
    change = objective(step).gradient - objective(0 * step).gradient
    change -= without(step).gradient - without(0 * step).gradient
    assert np.allclose(hessian @ step, change, atol=1e-9)
    apart = hessian - np.diag(np.diag(hessian))
    assert not apart[plain.free == 0].any() and not apart[:, plain.free == 0].any()
    assert np.linalg.eigvalsh(hessian).min() > 0
