"""What a bundle's codes are called, and which folders are none."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from synth.app.project.results import released
from synth.core.codebook import Codebook
from synth.core.discretisation import axis_of
from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.core.numbers import TIMES
from synth.core.schema import Column, Kind, Outside
from synth.core.table import CodeTable
from synth.release.checks.residuals import residuals

COLUMNS = [
    Column(name="age", kind=Kind.INTEGER, min=0, max=99, bins=7),
    Column(name="small", kind=Kind.INTEGER, min=1, max=4),
    Column(name="pay", kind=Kind.DECIMAL, min=-5.0, max=250_000.0, bins=9),
    Column(name="day", kind=Kind.DATE, min="2019-12-30", max="2021-02-03", bins=6),
    Column(name="ward", kind=Kind.CATEGORY, values=(0, 1, 2)),
    Column(name="job", kind=Kind.CATEGORY, values=("x", "y"), outside=Outside.OTHER),
    Column(name="level", kind=Kind.ORDERED, values=("low", "high")),
    Column(name="flag", kind=Kind.CATEGORY, values=(True, False)),
    Column(name="gain", kind=Kind.DECIMAL, min=0, max=100_000, bins=8, points=(0, 99_999)),
]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda c: c.name)
def test_labels_are_all_different_and_say_blank_last(column: Column) -> None:
    labels = released.labels_of(axis_of(column), None)
    assert len(set(labels)) == len(labels)
    assert labels[-1] == "(blank)"


@pytest.mark.parametrize("reads", [True, False])
def test_residuals_of_tilings_are_shown_where_the_records_were_made_of_them(reads: bool) -> None:
    """Shown in their own cells, and in the order of the checks; without them the first tables stay first."""
    domain = Domain(("a", "b", "c"), (2, 3, 3))

    def measured(clique: str, count: int, groups: dict[str, tuple[int, ...]], *shape: int) -> Measurement:
        counts = np.full(shape, count)
        return Measurement(clique=tuple(clique), counts=counts, variance=Fraction(1), units=1, groups=groups)

    tilings = [measured("abc", 1, {"b": cut}, 2, 2, 3) for cut in ((0, 1, 1), (0, 0, 1))]
    answers = (*tilings, measured("a", 5, {}, 2), measured("c", 8, {}, 3))
    noisy = Evidence(codebook=Codebook.plain(domain), answers=answers, total=18.0)
    table = CodeTable(domain, np.array(list(np.ndindex(2, 3, 3))))
    summaries = residuals(noisy, table, tilings=reads)
    found = released._residuals(noisy, table, summaries, {name: name.upper() for name in "abc"})
    shown = [(view.name, len(view.sigmas), max(map(abs, view.sigmas))) for view in found.worst]
    plain = [("A", 2, 4.0), ("C", 3, 2.0)]
    assert shown == plain + ([(TIMES.join("ABC"), 12, 1.0)] * 2 if reads else [])
    assert (found.cells, found.beyond) == (5 + 24 * reads, 2)
