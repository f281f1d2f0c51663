"""Private-GSD: every column and pair once, no look, and the generator that breeds the records."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.mechanisms.gsd import PrivateGSD
from synth.mechanisms.selection.workload import Workload
from synth.mechanisms.shared.base import Occasion, Problem, Prospect
from synth.mechanisms.shared.division import division_of
from synth.models.records.gsd import GeneticSearch
from synth.models.records.record_table import RecordTable
from synth.private.counting.codes import Codes
from synth.private.exact import Exact

DOMAIN = Domain(tuple("abcd"), (2, 3, 5, 4))


def test_every_column_and_pair_is_measured_and_nothing_chosen() -> None:
    table = np.random.default_rng(0).integers(0, DOMAIN.sizes, size=(3000, 4))
    source = Exact(Codes.of(table, DOMAIN), DOMAIN, rho=1.0)
    problem = Problem(
        workload=Workload.all_kway(DOMAIN, 3),
        codebook=Codebook.plain(DOMAIN),
        generator=GeneticSearch(generations=3),
    )
    fitted = PrivateGSD(columns_share=0.3).run(source, problem, rng=np.random.default_rng(0))
    measured = fitted.evidence.measurements
    pairs = [m for m in measured if len(m.clique) == 2]
    assert {m.clique for m in pairs} == set(combinations("abcd", 2)) and len(pairs) == 6
    assert {m.clique for m in measured} >= {(name,) for name in "abcd"}
    assert abs(sum(m.rho for m in pairs) - 0.7) < 1e-6
    assert not fitted.evidence.scores and not fitted.evidence.choices and source.left.units == 0
    assert isinstance(fitted.model, RecordTable) and len(fitted.model.codes) == 3000


def test_what_it_says_beforehand() -> None:
    own = PrivateGSD(columns_share=0.3)
    division = division_of(own, Prospect(sizes=(4, 5, 6)))
    assert division is not None and (division.columns, division.choosing) == (0.3, 0.0)
    small, wide = (own.outlook(Domain(tuple(map(str, range(n))), (9,) * n), k=2) for n in (5, 60))
    assert small.fastest < wide.fastest and small.model_mb < wide.model_mb
    few = Occasion(columns=5, k=2, seconds=60, epsilon=2)
    assert not own.is_avoided(few) and own.is_avoided(Occasion(columns=25, k=2, seconds=60, epsilon=2))
