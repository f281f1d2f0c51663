from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from synth.bench.paper_looseness import OURS, THEOREM_4, looseness
from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.core.table import CodeTable
from synth.release.checks.paper_bounds import measured_limits

DOMAIN = Domain(("a", "b"), (5, 4))


def drawn(seed: int) -> CodeTable:
    return CodeTable(DOMAIN, np.random.default_rng(seed).integers(0, (5, 4), (300, 2)))


def test_looseness_is_the_bound_over_the_true_error_of_the_same_rows() -> None:
    real, synthetic = drawn(0), drawn(1)
    counts = real.counts(("a", "b"))
    asked = Evidence(
        codebook=Codebook.plain(DOMAIN),
        answers=(Measurement(clique=("a", "b"), counts=counts, variance=Fraction(9), units=1),),
        total=300.0,
    )
    ratios = looseness(asked, synthetic, real)
    error = np.abs(counts - synthetic.counts(("a", "b"))).sum()
    assert ratios[THEOREM_4] == [pytest.approx(measured_limits(asked, synthetic)[0].l1 / error)]
    assert set(ratios) == {THEOREM_4, OURS} and ratios[OURS][0] >= 1
