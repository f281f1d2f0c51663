"""What a page says of itself: a whole preset, a part of one, or a run of one's own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from synth.bench.presets import PRESETS
from synth.bench.report.about import about, in_short
from synth.bench.report.tally import outcomes_of
from synth.bench.trials.results import Record
from synth.bench.trials.trial import REFERENCE

SESSIONS: list[dict[str, Any]] = [{"preset": "quick"}]
QUICK = [
    Record(
        table=trial.table,
        method=trial.method,
        epsilon=trial.epsilon,
        delta=trial.delta,
        run=trial.run,
        figure="tvd2",
        value=0.1,
        part=trial.part,
    )
    for trial in PRESETS["quick"].trials()
    if trial.method != REFERENCE
]


def test_a_whole_preset_has_its_own_sentence() -> None:
    told = about(outcomes_of(QUICK), SESSIONS)
    assert told.title == "Benchmark: quick" and told.lead[0] == PRESETS["quick"].about


def test_a_preset_that_was_kept_to_less_says_to_what() -> None:
    told = about(outcomes_of([r for r in QUICK if r.table == "nltcs" and r.part != "peer"]), SESSIONS)
    assert told.title == "Of the preset quick: 1 of 2 tables (nltcs)"
    assert told.lead[0].startswith("A part of the preset quick: 1 of 2 tables (nltcs); 0 of 2 libraries.")
    fewer = about(outcomes_of([r for r in QUICK if r.run == 0]), SESSIONS)
    assert "one run of each of ours where the preset has 5" in fewer.lead[0]
    stopped = about(outcomes_of([r for r in QUICK if (r.table, r.method) != ("adult", "aim")]), SESSIONS)
    assert "1 of its entries have not been run" in stopped.lead[0]


def test_a_run_of_ones_own_is_called_so_whatever_preset_it_began_from() -> None:
    other = about(outcomes_of([replace(QUICK[0], table="survey"), QUICK[0]]), SESSIONS)
    assert other.title == "Benchmark of one's own: 1 method on 2 tables"
    assert "two libraries" not in " ".join(other.lead)
    assert "at epsilon 3;" in about(outcomes_of([replace(QUICK[0], epsilon=3.0)]), SESSIONS).lead[0]


def test_a_folder_of_several_sessions_has_the_preset_that_holds_all() -> None:
    told = about(outcomes_of(QUICK), [{"preset": "quick"}, {"preset": "gauss"}, {"preset": "gone"}])
    assert told.title == "Benchmark: quick"


def test_firsts_by_single_runs_say_so() -> None:
    ran = outcomes_of([r for r in QUICK if r.run == 0])
    assert any(line.endswith("(by one run).") for line in in_short(ran, ran))
    often = outcomes_of([r for r in QUICK if r.part != "peer"])
    assert not any("one run" in line for line in in_short(often, often))
