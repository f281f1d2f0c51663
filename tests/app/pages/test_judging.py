"""From two finished runs to the private evaluation and the comparison, by the router and the real workers."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.jobs import runner
from synth.app.jobs.store import Job, State
from synth.app.project import decisions, declared, runs
from synth.app.project import store as projects
from synth.app.project.results import further, steward
from synth.app.project.spend import ledger
from synth.app.project.store import Budget, Method, Project
from tests.app.opened import opened


@pytest.fixture(scope="module")
def judged(home: Path) -> Project:
    """The demo with two finished runs."""
    project = replace(declared.demo(), budget=Budget(epsilon=1.0, delta=1e-7, lifetime=8.0))
    for rows in (50, 80):
        project = replace(project, method=Method(name="independent", rows=rows), drafting=True)
        project = runs.start(project)
        assert runner.wait(Job.find(project.runs[-1]), seconds=600).state is State.DONE
    projects.save(project)
    return project


def until(test: AppTest, is_there: Callable[[AppTest], bool]) -> None:
    """Run the page again until it has something."""
    deadline = time.monotonic() + 600
    while not is_there(test):
        assert time.monotonic() < deadline, [w.value for w in test.warning]
        time.sleep(0.3)
        test.run()


def said(test: AppTest) -> str:
    return " ".join(m.value for m in [*test.markdown, *test.caption])


def test_the_private_evaluation_opens_behind_a_notice_and_leaves_a_line_in_the_log(judged: Project) -> None:
    test = opened("steward", judged)
    assert not test.get("plotly_chart") and "without noise" in said(test)
    test.button(key="open-steward").click().run()
    assert not decisions.has_looked(judged)
    test.toggle(key="steward-mapped").set_value(False).run()
    test.button(key="start-steward").click().run()
    until(test, lambda test: any(b.key == "forget-steward" for b in test.button))
    drawn = [chart.key for chart in test.get("plotly_chart")]
    parts = ("distances", "overlay", "pairs", "pair-chart", "scores")
    assert drawn == [f"steward-{part}" for part in parts]
    assert "equivalent random sample" in said(test)
    assert ":red-badge" in said(test)
    assert [e.kind for e in decisions.log(judged)] == [decisions.DecisionKind.LOOK]
    assert not test.get("download_button") and not test.dataframe


def test_private_numbers_are_on_no_other_page(judged: Project) -> None:
    assert steward.study_of(judged).answer() is not None
    for name in ("compare", "results", "release", "ledger"):
        test = opened(name, judged)
        assert "equivalent random sample" not in said(test)
        for chart in test.get("plotly_chart"):
            assert '"real"' not in chart.proto.spec


def measured(test: AppTest, project: Project, table: str) -> None:
    """The accuracy of a further table is quoted, measured in a run of its own, and compared."""
    left = ledger.line_of(project).left
    test.selectbox(key="shown-run").select(table).run()
    assert "another table" in said(test).casefold()
    test.number_input(key=f"judge-epsilon-{table}").set_value(20.0).run()
    assert "does not cover" in test.error[0].value and test.button(key="judge").disabled
    test.number_input(key=f"judge-epsilon-{table}").set_value(0.5).run()
    assert "reserves **" in said(test)
    button = test.button(key="judge")
    assert button.label.startswith("Measure accuracy (spends ")
    button.click().run()
    until(test, lambda test: "with epsilon 0.5 at delta" in said(test))
    assert ledger.line_of(project).left < left and not any(b.key == "judge" for b in test.button)
    assert [b.proto.label for b in test.get("download_button")] == ["Download accuracy (JSON)"]
    assert "at most" not in opened("compare", project).table[0].value["Random ranges"].tolist()[-1]


@pytest.mark.long
def test_further_tables_are_free_one_or_all(judged: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project = replace(judged, method=Method(name="mst", rows=50), drafting=True)
    project = runs.start(project)
    run = Job.find(project.runs[-1])
    assert runner.wait(run, seconds=600).state is State.DONE
    projects.save(project)
    test = opened("results", project)
    test.selectbox(key=f"another-by-{run.run}").select("independent").run()
    test.button(key="make-another").click().run()
    assert "stop-another" in {button.key for button in test.button}
    again = "Run 3, again by Independent columns"
    until(test, lambda test: again in " ".join(o for box in test.selectbox for o in box.options))
    assert len(opened("compare", project).table[0].value) == 4
    measured(test, project, f"{run.run}-independent")
    offered = further.open_to(run.spec())
    assert test.button(key="make-every").label == f"Generate with all {len(offered)}"
    monkeypatch.setattr("synth.app.jobs.executor.LocalProcesses.start", lambda self, task: None)
    test.button(key="make-every").click().run()
    task = further.task_of(project, runs.tables(project)[-1])
    assert set(task.order()["generators"]) == set(offered)
