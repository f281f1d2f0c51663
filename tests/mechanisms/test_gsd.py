"""Private-GSD: it measures every column and pair once without scoring, and uses the genetic search."""

from itertools import combinations

import numpy as np

from synth.core.domain import Domain
from synth.mechanisms.gsd import PrivateGSD
from synth.models.records.gsd import GeneticSearch
from synth.models.records.record_table import RecordTable
from tests.mechanisms.examples import exact, problem_about

DOMAIN = Domain(tuple("abcd"), (2, 3, 5, 4))


def test_every_column_and_pair_is_measured_and_nothing_chosen() -> None:
    table = np.random.default_rng(0).integers(0, DOMAIN.sizes, size=(3000, 4))
    source = exact(table, DOMAIN, rho=1.0)
    problem = problem_about(DOMAIN, 3, generator=GeneticSearch(generations=3))
    fitted = PrivateGSD(columns_share=0.3).run(source, problem, rng=np.random.default_rng(0))
    measured = fitted.evidence.measurements
    pairs = [m for m in measured if len(m.clique) == 2]
    assert {m.clique for m in pairs} == set(combinations("abcd", 2)) and len(pairs) == 6
    assert {m.clique for m in measured} >= {(name,) for name in "abcd"}
    assert abs(sum(m.rho for m in pairs) - 0.7) < 1e-6
    assert not fitted.evidence.scores and not fitted.evidence.choices and source.left.units == 0
    assert isinstance(fitted.model, RecordTable) and len(fitted.model.codes) == 3000
