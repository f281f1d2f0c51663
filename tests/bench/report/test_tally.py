from dataclasses import replace

import pytest

from synth.bench.report.tally import epsilons_of, outcomes_of, places_of
from synth.bench.trials.results import FAILED, LAST, Record

ONE = Record(table="adult", method="aim", epsilon=1.0, delta=1e-9, run=0, figure="tvd2", value=0.04)


def test_runs_of_one_method_are_one_line_with_mean_and_spread() -> None:
    (line,) = outcomes_of([ONE, replace(ONE, run=1, value=0.06), replace(ONE, figure="seconds", value=2.0)])
    assert line.mean("tvd2") == pytest.approx(0.05) and line.spread("tvd2") == pytest.approx(0.0141421, 1e-5)
    assert line.spread("seconds") is None and line.mean("tvd3") is None and line.runs == 2


def test_promises_tasks_variants_and_libraries_stand_apart() -> None:
    others = [
        replace(ONE, epsilon=0.1),
        replace(ONE, task="all-3way"),
        replace(ONE, variant="rules"),
        replace(ONE, part="peer"),
    ]
    lines = outcomes_of([ONE, *others])
    assert len(lines) == 5 and epsilons_of(lines) == [0.1, 1.0]
    assert places_of(lines) == [("adult", "all-2way"), ("adult", "all-3way")]
    assert {line.name for line in lines} == {"aim", "aim (rules)"}


def test_a_failure_is_kept_with_its_reason_and_is_no_figure() -> None:
    (line,) = outcomes_of(
        [
            replace(ONE, figure=FAILED, value=1.0, note="out of memory"),
            replace(ONE, figure=LAST, value=9.0, note="out of memory"),
        ]
    )
    assert line.failures == ["out of memory"] and line.figures == {} and line.runs == 0
