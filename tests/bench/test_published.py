"""Which runs stand beside the papers' figures, what is said of them, and what is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from synth.bench import published
from synth.bench.literal_particles import Pace
from synth.bench.metrics import BY_NAME
from synth.bench.papers import FIDELITY, L1, MARGNET, PRIVPGD, PUBLISHED, QUERIES
from synth.bench.published import (
    CASES,
    FAST,
    FIGURES,
    LITERAL,
    METHODS,
    METRICS,
    OURS,
    Case,
    compared,
    going_on,
    speeds,
    wrong_on_real_rows,
)
from synth.bench.results import FAILED, LAST, Record, Results
from synth.bench.tables import SETS
from synth.bench.trial import Trial
from synth.mechanisms.shared.recipe import recipe_of

NETWORK = Case(
    paper=MARGNET, ours="gauss10", theirs="Gauss10", epsilons=(1.0, 10.0), steps={10.0: 100}, batch=256
)
CODED = Case(paper=MARGNET, ours="adult-steps", theirs="Adult", epsilons=(1.0,))
PARTICLES = Case(paper=PRIVPGD, ours="survey-split", theirs="ACS Income", epsilons=(1.0,), is_short=True)


def records(trial: Trial, **figures: float) -> list[Record]:
    return [
        Record(
            table=trial.table,
            method=trial.method,
            epsilon=trial.epsilon,
            delta=trial.delta,
            run=trial.run,
            figure=figure,
            value=value,
            task=trial.task,
            variant=trial.variant,
        )
        for figure, value in {**figures, LAST: 1.0}.items()
    ]


def test_every_case_is_of_tables_figures_and_methods_that_there_are() -> None:
    tables = {(p.paper, p.table, p.epsilon) for p in PUBLISHED}
    for case in CASES:
        assert case.ours in SETS
        assert {(case.paper, case.theirs, epsilon) for epsilon in case.epsilons} <= tables
    for paper, forms in METHODS.items():
        assert set(METRICS[paper].split("+")) <= set(BY_NAME)
        for form, method in forms.items():
            recipe = recipe_of(method)
            assert form != FAST or recipe.generator == recipe.mechanism.fast
    assert {name for name, _ in FIGURES.values()} <= {
        name for names in METRICS.values() for name in names.split("+")
    }


def test_every_published_figure_is_stood_beside() -> None:
    beside = {(case.paper, case.theirs, epsilon) for case in CASES for epsilon in case.epsilons}
    assert beside == {(p.paper, p.table, p.epsilon) for p in PUBLISHED}


def test_the_published_network_has_the_paper_s_steps_and_batch_and_is_run_once() -> None:
    trials = list(NETWORK.trials(3))
    literal = [t for t in trials if t.generator_options]
    assert [(t.epsilon, t.generator_options) for t in literal] == [
        (1.0, {"as_published": True, "batch": 256}),
        (10.0, {"as_published": True, "batch": 256, "steps": 100, "round_steps": 100}),
    ]
    assert {t.method for t in literal} == {"margnet"}
    assert [t.run for t in trials if t.method == "margnet+mixture"] == [0, 1, 2] * 2
    assert len({t.key for t in trials}) == len(trials)


def test_what_takes_hours_is_not_run_as_published() -> None:
    assert not any(t.generator_options for t in replace(NETWORK, is_short=True).trials(1))
    assert {t.method for t in PARTICLES.trials(1)} == {"privpgd", "privpgd+copula"}


def test_the_published_network_is_run_to_its_end_on_up_to_50_columns() -> None:
    literal = {t.table for case in CASES for t in case.trials(1) if t.generator_options}
    assert literal == {"gauss10-10-bins", "gauss10", "adult-steps", "gauss30-10-bins", "gauss50-10-bins"}


def test_only_the_published_form_goes_on_where_it_was_stopped_each_run_in_a_folder_of_its_own() -> None:
    trials = [going_on(t, Path("/out")) for case in CASES for t in case.trials(2)]
    folders = [t.folder for t in trials if t.folder]
    assert {t.folder != "" for t in trials if t.generator_options} == {True}
    assert {t.folder for t in trials if not t.generator_options} == {""}
    assert len(set(folders)) == len(folders) and {Path(f).parent for f in folders} == {Path("/out")}
    first = NETWORK.trial(LITERAL, 1.0)
    assert going_on(first, Path("/out")) == going_on(replace(first), Path("/out"))
    assert Path(going_on(first, Path("/out")).folder).name.startswith("gauss10-margnet-")


def test_a_published_run_that_failed_is_made_again_and_a_quick_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[list[Trial]] = []
    monkeypatch.setattr(published, "CASES", (NETWORK,))
    monkeypatch.setattr(published, "keep_to", lambda cores: None)

    def failing(trials: list[Trial], results: Results, tell: object) -> None:
        left = [t for t in trials if t.key not in results.finished()]
        measured.append(left)
        for trial in left:
            results.add(records(trial, **{FAILED: 1.0}))

    monkeypatch.setattr(published, "measure_all", failing)
    for _ in range(2):
        assert published.main(["--out", str(tmp_path), "--runs", "1", "--epsilons", "1"]) == 0
    assert [[t.method for t in left] for left in measured] == [["margnet+mixture", "margnet"], ["margnet"]]
    (again,) = measured[1]
    assert Path(again.folder).parent == tmp_path / "under-way"


def test_a_mean_stands_beside_the_paper_s_figure() -> None:
    fast = NETWORK.trial(FAST, 1.0)
    measured = [
        *records(fast, fidelity=0.30, tvd2=0.1, query_error=0.05),
        *records(replace(fast, run=1), fidelity=0.20, tvd2=0.1, query_error=0.03),
        *records(replace(fast, epsilon=3.0), fidelity=9.0),
        *records(NETWORK.trial(LITERAL, 1.0), **{FAILED: 1.0}),
    ]
    found = {one.quantity: one for one in compared(measured, [NETWORK])}
    assert set(found) == {FIDELITY, QUERIES} and all(one.form == FAST for one in found.values())
    assert found[FIDELITY].ours == pytest.approx(0.25) and found[FIDELITY].runs == 2
    assert found[FIDELITY].row[-3:] == ("0.32", "Table 5", "beaten")
    assert found[QUERIES].row[-3:] == ("0.020", "Table 5", "missed")


def test_fidelity_of_codes_is_their_tvd_and_l1_is_twice_that() -> None:
    (coded,) = compared(records(CODED.trial(LITERAL, 1.0), tvd2=0.058), [CODED])
    assert (coded.quantity, coded.ours, coded.row[-1]) == (FIDELITY, 0.058, "reproduced")
    particles = records(PARTICLES.trial(OURS, 1.0), tvd2=0.02, wrong_real=0.25)
    assert wrong_on_real_rows(particles, PARTICLES) == [0.25] and not wrong_on_real_rows(particles, CODED)
    (pairs,) = compared(particles, [PARTICLES])
    assert (pairs.quantity, pairs.ours, pairs.row[-1]) == (L1, 0.04, "reproduced")


def test_speeds_are_measured_where_both_were_run_and_else_extrapolated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(published, "network_pace", lambda table, batch: 0.5)
    monkeypatch.setattr(
        published, "particle_pace", lambda table: Pace(epoch=7.0, projection=200.0, whole=9000.0)
    )
    quick = {"cpu_seconds": 2.0, "measurements": 30.0}
    both = [
        *records(NETWORK.trial(FAST, 1.0), **quick),
        *records(NETWORK.trial(LITERAL, 1.0), cpu_seconds=80.0),
    ]
    (measured,) = speeds(both, [NETWORK])
    assert str(measured) == "gauss10, epsilon 1: as published 80 s (measured), fast option 2.0 s, 40 times"
    (paced,) = speeds(records(NETWORK.trial(FAST, 10.0), **quick), [NETWORK])
    assert paced.literal == (20 + 2) * 100 * 0.5 and "extrapolated from 4 steps, 20 rounds" in str(paced)
    slow = records(PARTICLES.trial(OURS, 1.0), **quick), records(PARTICLES.trial(FAST, 1.0), **quick)
    assert [(s.form, s.literal) for s in speeds([*slow[0], *slow[1]], [PARTICLES])] == [
        (OURS, 9000.0),
        (FAST, 9000.0),
    ]


def test_what_is_quick_is_measured_first_and_then_epsilon_1() -> None:
    order = published.trials_of(CASES, runs=1)
    literal = [bool(t.generator_options) for t in order]
    assert literal == sorted(literal) and order[0].epsilon == 1.0 and any(literal)
    assert next(t for t in order if t.generator_options).epsilon == 1.0
