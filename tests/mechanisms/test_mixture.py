"""Tests specific to the mixture of all pairs. The contract tests check everything else."""

import numpy as np

from synth.core.domain import Domain
from synth.core.table import CodeTable
from synth.mechanisms.mixture import MixtureOfAllPairs
from synth.models.mixture.mixture import MixtureModel
from tests.mechanisms.examples import exact, problem_about

DOMAIN = Domain(tuple(f"c{i}" for i in range(12)), (6,) * 12)


def truth(rows: int = 5000) -> np.ndarray:
    """Return columns that are all related by one factor."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(rows, 1)) * 0.9 + rng.normal(size=(rows, 12)) * 0.44
    return np.clip(np.rint(1.5 * values + 2.5), 0, 5).astype(np.int64)


def test_a_dense_table_comes_out_near_the_truth() -> None:
    problem = problem_about(DOMAIN, ordered=dict.fromkeys(DOMAIN.names, 6))
    source = exact(truth(), DOMAIN, rho=0.5)
    fitted = MixtureOfAllPairs().run(source, problem, rng=np.random.default_rng(0))
    assert isinstance(fitted.model, MixtureModel)
    assert sum(len(m.clique) == 2 for m in fitted.evidence.measurements) == 66
    real = CodeTable(DOMAIN, truth())
    drawn = CodeTable(DOMAIN, fitted.model.sample(5000, np.random.default_rng(0)))
    for r in (("c0", "c1"), ("c3", "c11"), ("c0", "c5", "c9")):
        assert 0.5 * np.abs(real.counts(r) - drawn.counts(r)).sum() / 5000 < 0.1
