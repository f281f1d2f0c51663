"""The bounds of the MargNet paper beside ours, of released rows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from synth.app.project.results.paper_bounds import PaperBounds, paper_bounds
from synth.core.codebook import Codebook
from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.core.table import CodeTable
from synth.release.checks.bounds import bounds
from synth.release.checks.checks import Checks
from synth.release.checks.paper_bounds import UnselectedLimit

DOMAIN = Domain(("a", "b"), (3, 4))
TABLE = CodeTable(DOMAIN, np.random.default_rng(0).integers(0, (3, 4), (500, 2)))
EVIDENCE = Evidence(
    codebook=Codebook.plain(DOMAIN),
    answers=(
        Measurement(clique=("a",), counts=TABLE.counts(("a",)), variance=Fraction(25), units=1),
        Measurement(
            clique=("b",),
            counts=TABLE.counts(("b",)).reshape(2, 2).sum(axis=1),
            variance=Fraction(25),
            units=1,
            step=1,
            groups={"b": (0, 0, 1, 1)},
        ),
    ),
    total=500.0,
)
CLIQUES: tuple[Clique, ...] = (("a",), ("b",), ("a", "b"))
CHECKS = Checks(
    bounds=bounds(EVIDENCE, candidates=CLIQUES, synthetic=TABLE),
    residuals=(),
    violations={},
    flags=(),
    confidence=0.95,
)


def beside(checks: Checks) -> PaperBounds:
    return paper_bounds(EVIDENCE, TABLE, checks, name_of=" by ".join, chose=True)


def test_measured_tables_have_both_bounds_in_the_codes_they_were_asked_in() -> None:
    found = beside(CHECKS)
    assert [row.name for row in found.rows] == ["a", "b"] and found.measured == 2
    ours = {bound.clique: bound for bound in CHECKS.bounds}
    assert found.rows[0].ours == ours["a",].tvd
    assert found.rows[1].ours == ours["b",].coarse_tvd is not None
    assert all(row.theorem == 4 and 0 < row.theirs < 0.1 for row in found.rows)
    assert 0 < found.triangle <= found.l2
    assert not found.has_unselected


def test_pairs_that_a_selection_passed_over_come_after_them_and_no_share_is_above_one() -> None:
    limits = (UnselectedLimit(clique=("a", "b"), l1=100.0), UnselectedLimit(clique=("a", "b"), l1=1e9))
    found = beside(replace(CHECKS, unselected=limits))
    assert found.has_unselected
    assert [(row.name, row.theorem, row.ours) for row in found.rows[2:]] == [("a by b", 5, None)] * 2
    assert [row.theirs for row in found.rows[2:]] == pytest.approx([0.1, 1.0])
