from __future__ import annotations

from synth.bench.privacy.gate_verdict import Gate
from synth.bench.report.paper_tables import Compared, cells
from synth.bench.report.tally import outcomes_of
from synth.bench.report.who_counts import beside_rows, counts, left_out
from synth.bench.trials.results import Record

ONE = Record(table="adult", method="aim", epsilon=1.0, delta=1e-9, run=0, figure="tvd2", value=0.04)


def test_without_a_gate_all_count_and_without_a_verdict_none() -> None:
    (one,) = ran = outcomes_of([ONE])
    assert counts(ran, None) == ran and left_out(one, None) == ""
    assert counts(ran, Gate([])) == [] and left_out(one, Gate([])) == "not counted: not judged"


def test_what_does_not_count_has_beaten_no_paper() -> None:
    cell = next(cell for cell in cells() if not cell.is_stand_in)
    beside = [Compared(cell=cell, value=0.0, runs=1)]
    assert beside_rows(beside, None) == [beside[0].row]
    (row,) = beside_rows(beside, Gate([]))
    assert row[:-1] == beside[0].row[:-1] and row[-1] == "not counted: not judged"
