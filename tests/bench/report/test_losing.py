"""Where we lose: beyond the noise, within it, by one run, and by figures that are no error of marginals."""

from __future__ import annotations

from dataclasses import replace

from synth.bench.report import losing
from synth.bench.report.tally import outcomes_of
from synth.bench.trials.results import FAILED, Record

ONE = Record(table="adult", method="blend", epsilon=1.0, delta=1e-9, run=0, figure="tvd2", value=1.0)


def runs(method: str, *values: float, figure: str = "tvd2") -> list[Record]:
    return [replace(ONE, method=method, run=i, figure=figure, value=v) for i, v in enumerate(values)]


def lost(*groups: list[Record]) -> dict[str, list[str]]:
    outcomes = outcomes_of([record for group in groups for record in group])
    return losing.lost(outcomes, outcomes).by


def test_behind_is_beyond_noise_within_it_or_by_one_run() -> None:
    (line,) = lost(runs("blend", 2.0, 2.0), runs("aim", 1.0, 1.0))[losing.OWN]
    assert "2-way TVD 2.00, 2.00 times the 1.00 of aim" in line
    assert list(lost(runs("blend", 1.0, 1.6), runs("aim", 1.0, 1.0))) == [losing.NOISE]
    assert list(lost(runs("blend", 1.1), runs("aim", 1.0))) == [losing.SINGLE]
    assert lost(runs("blend", 1.0, 1.1), runs("aim", 1.0, 1.0)) == {}


def test_scores_and_queries_have_a_line_each_and_costs_one_for_both() -> None:
    ours, theirs = {"macro_f1": 0.6, "query_error": 0.02, "seconds": 9.0, "peak_mb": 300.0}, {}
    theirs = {"macro_f1": 0.65, "query_error": 0.01, "seconds": 3.0, "peak_mb": 200.0}
    groups = [runs(m, v, figure=f) for m, told in (("blend", ours), ("aim", theirs)) for f, v in told.items()]
    query, score, costs = lost(*groups)[losing.OTHERWISE]
    assert score == (
        "Macro-F1: behind in 1 of 1 cells, most at adult, epsilon 1: 0.600 against 0.650 of aim, one run."
    )
    assert "0.0200 against 0.0100 of aim" in query
    assert costs.startswith("Time: 3.0 times the least of our others") and "Memory: 1.5 times" in costs


def test_the_default_that_was_not_measured_or_does_not_count_is_told() -> None:
    other, mine = outcomes_of(runs("aim", 1.0)), outcomes_of(runs("blend", 1.0))
    assert losing.lost(other, other).absent == "The default was not measured here."
    assert "has not passed the gate" in losing.lost([*other, *mine], other).absent
    assert losing.lost(mine, mine).absent == "Nothing that counts was measured beside the default."
    assert losing.lost([*other, *mine], [*other, *mine]).absent == ""


def test_losses_to_libraries_by_one_run_say_so_and_failures_of_all_are_told() -> None:
    library = [replace(r, part="peer") for r in runs("dpmm-mst", 0.5)]
    failed = [replace(ONE, method="mst", figure=FAILED, note="out of memory")]
    (line,) = lost(runs("blend", 1.0), library)[losing.LIBRARIES]
    assert line.endswith("(one run).")
    all_ran, counting = outcomes_of([*runs("blend", 1.0), *failed]), outcomes_of(runs("blend", 1.0))
    assert "out of memory" in losing.lost(all_ran, counting).by[losing.FAILURES][0]
