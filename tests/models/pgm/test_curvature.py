"""The curvature estimated from records of the model, compared with the change of the gradient."""

from itertools import combinations

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.measurements.noisy import Measurement
from synth.core.zeros import Zero
from synth.models import pgm
from synth.models.pgm import fitting
from synth.models.pgm.curvature import sampled_inverse
from synth.models.pgm.lbfgs import Vector
from synth.models.pgm.objective import RidgeDual
from synth.models.pgm.propagation import Propagation
from synth.models.pgm.schedule import Schedule
from tests.models.examples import measurement

DOMAIN = Domain(tuple("abcdef"), (2, 3, 2, 2, 3, 2))
PAIRS = list(combinations(DOMAIN.names, 2))


def dual(seed: int) -> tuple[RidgeDual, Vector]:
    """Return an objective over all pairs, evaluated at a point where the columns are dependent."""
    rng = np.random.default_rng(seed)
    masks = [sum(1 << i for i in DOMAIN.axes(pair)) for pair in PAIRS]
    propagation = Propagation(Schedule.of(DOMAIN, masks, len(masks)))
    cells = propagation.marginals.size
    objective = RidgeDual(
        propagation=propagation,
        counts=np.zeros(cells),
        sigma=np.ones(cells),
        penalty=rng.uniform(20, 40, cells),
        base=np.zeros(cells),
        fixed=np.empty(0),
        free=np.ones(cells),
        total=5_000.0,
    )
    point = rng.normal(0, 0.4, cells)
    objective(point)
    return objective, point


@pytest.mark.parametrize("seed", range(3))
def test_it_undoes_what_a_small_step_does_to_the_gradient(seed: int) -> None:
    objective, point = dual(seed)
    inverse, here = sampled_inverse(objective), objective(point)
    rng = np.random.default_rng(seed)
    by_sample, by_diagonal = [], []
    for _ in range(20):
        step = rng.normal(size=point.size)
        # what matters are the directions in which the gradient changes most: multiply once by the Hessian
        step = objective(point + 1e-4 * step).gradient - here.gradient
        step /= np.linalg.norm(step)
        change = (objective(point + 1e-4 * step).gradient - here.gradient) / 1e-4
        by_sample.append(np.linalg.norm(inverse(change) - step))
        by_diagonal.append(np.linalg.norm(change / here.curvature - step))
    assert np.mean(by_sample) < 0.3 < np.mean(by_diagonal)


def correlated(rows: int = 20_000) -> list[Measurement]:
    """Return exact pairs of ten binary columns that depend closely on one hidden trait."""
    rng = np.random.default_rng(5)
    trait = rng.random(rows)
    names = tuple("abcdefghij")
    codes = {n: (trait + rng.normal(0, 0.1, rows) > rng.uniform(0.2, 0.8)).astype(np.int64) for n in names}
    found = []
    for x, y in combinations(names, 2):
        counts = np.bincount(2 * codes[x] + codes[y], minlength=4).reshape(2, 2)
        found.append(measurement((x, y), counts, 900))
    return found


def test_columns_that_hang_together_take_few_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = Domain(tuple("abcdefghij"), (2,) * 10)
    measured, options = correlated(), pgm.FitOptions(tolerance=0.01)
    learnt = pgm.fit(domain, measured, total=20_000, options=options)
    monkeypatch.setattr(fitting, "FEW", 0)
    plain = pgm.fit(domain, measured, total=20_000, options=options)
    assert learnt.report.converged and learnt.report.sweeps < plain.report.sweeps / 2
    tables = zip(
        learnt.project_many(domain_pairs(domain)), plain.project_many(domain_pairs(domain)), strict=True
    )
    assert max(float(np.abs(a - b).max()) for a, b in tables) < 0.3 * 30  # both within the tolerance


def domain_pairs(domain: Domain) -> list[tuple[str, ...]]:
    return list(combinations(domain.names, 2))


def test_impossible_cells_stay_impossible_and_untouched() -> None:
    domain = Domain(tuple("abcdefghij"), (2,) * 10)
    never = Zero(("a", "b"), np.array([[False, True], [False, False]]))
    options = pgm.FitOptions(tolerance=0.001)
    model = pgm.fit(domain, correlated(), zeros=[never], total=20_000, options=options)
    assert model.report.sweeps > fitting.APPROACH  # the curvature was looked at
    assert model.project(("a", "b"))[0, 1] == 0
    assert model.potentials[("a", "b")][0, 1] == 0
