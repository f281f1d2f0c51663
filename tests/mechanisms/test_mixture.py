"""What is special to the mixture of all pairs; the contract tests do the rest."""

from __future__ import annotations

import numpy as np

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.table import CodeTable
from synth.mechanisms.mixture import MixtureOfAllPairs
from synth.mechanisms.selection.workload import Workload
from synth.mechanisms.shared.base import Occasion, Problem
from synth.models.mixture.mixture import MixtureModel
from synth.private.counting.codes import Codes
from synth.private.exact import Exact

DOMAIN = Domain(tuple(f"c{i}" for i in range(12)), (6,) * 12)


def truth(rows: int = 5000) -> np.ndarray:
    """Everything is related to everything by one factor."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(rows, 1)) * 0.9 + rng.normal(size=(rows, 12)) * 0.44
    return np.clip(np.rint(1.5 * values + 2.5), 0, 5).astype(np.int64)


def test_a_dense_table_comes_out_near_the_truth() -> None:
    problem = Problem(
        workload=Workload.all_kway(DOMAIN, 2),
        codebook=Codebook.plain(DOMAIN, ordered=dict.fromkeys(DOMAIN.names, 6)),
    )
    source = Exact(Codes.of(truth(), DOMAIN), DOMAIN, rho=0.5)
    fitted = MixtureOfAllPairs().run(source, problem, rng=np.random.default_rng(0))
    assert isinstance(fitted.model, MixtureModel)
    assert sum(len(m.clique) == 2 for m in fitted.evidence.measurements) == 66
    real = CodeTable(DOMAIN, truth())
    drawn = CodeTable(DOMAIN, fitted.model.sample(5000, np.random.default_rng(0)))
    for r in (("c0", "c1"), ("c3", "c11"), ("c0", "c5", "c9")):
        assert 0.5 * np.abs(real.counts(r) - drawn.counts(r)).sum() / 5000 < 0.1


def test_the_forecast_grows_with_columns_and_wide_tables_are_what_it_suits() -> None:
    wide = Domain(tuple(f"c{i}" for i in range(400)), (20,) * 400)
    near, far = MixtureOfAllPairs().outlook(DOMAIN, k=2), MixtureOfAllPairs().outlook(wide, k=2)
    assert near is not None and far is not None
    assert 0 < near.fastest < near.slowest < far.slowest and 400 < far.model_mb < 1000
    method = MixtureOfAllPairs()
    assert method.is_avoided(Occasion(columns=10, k=2, seconds=10, epsilon=1))
    assert not method.is_avoided(Occasion(columns=100, k=2, seconds=100, epsilon=1))
