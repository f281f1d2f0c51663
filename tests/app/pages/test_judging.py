"""From two finished runs to the steward's view and the comparison, by the router and the real workers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.jobs import runner
from synth.app.jobs.store import Job, State
from synth.app.project import decisions, declared, runs
from synth.app.project import store as projects
from synth.app.project.results import compare, further, steward
from synth.app.project.store import Budget, Method, Project

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """The demo with two finished runs, in a home of its own."""
    folder = tmp_path_factory.mktemp("judging")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MARGINALIA_HOME", str(folder / "home"))
        patch.setenv("MARGINALIA_LEDGER", str(folder / "ledger.sqlite"))
        project = replace(declared.demo(), budget=Budget(epsilon=1.0, delta=1e-7, lifetime=8.0))
        for rows in (500, 800):
            project = replace(project, method=Method(name="independent", rows=rows), drafting=True)
            project = runs.start(project)
            assert runner.wait(Job.find(project.runs[-1]), seconds=600).state is State.DONE
        projects.save(project)
        yield project


def page(project: Project, name: str) -> AppTest:
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
    test.query_params["p"] = project.id
    test.run().switch_page(f"pages/{name}.py").run()
    assert not test.exception and not test.error
    return test


def until(test: AppTest, key: str) -> AppTest:
    """Look at the page until something with this key stands on it, as the ticking fragment would."""
    deadline = time.monotonic() + 600
    while not any(b.key == key for b in test.button):
        assert time.monotonic() < deadline, [w.value for w in test.warning]
        time.sleep(0.3)
        test.run()
    return test


def said(test: AppTest) -> str:
    return " ".join(m.value for m in [*test.markdown, *test.caption])


def test_the_stewards_view_opens_behind_a_notice_and_leaves_a_line_in_the_log(judged: Project) -> None:
    test = page(judged, "steward")
    assert not test.get("plotly_chart") and "without noise" in said(test)
    test.button(key="open-steward").click().run()
    assert not decisions.has_looked(judged)
    test.toggle(key="steward-mapped").set_value(False).run()
    test.button(key="start-steward").click().run()
    until(test, "forget-steward")
    drawn = [chart.key for chart in test.get("plotly_chart")]
    parts = ("distances", "overlay", "pairs", "pair-chart", "scores")
    assert drawn == [f"steward-{part}" for part in parts]
    assert "as a random" in said(test)
    assert "steward's view opened" in said(test)
    assert [e.kind for e in decisions.log(judged)] == [decisions.DecisionKind.LOOK]
    assert not test.get("download_button") and not test.dataframe


def test_what_the_steward_saw_stays_in_his_room(judged: Project) -> None:
    assert steward.study_of(judged).answer() is not None
    for name in ("compare", "results", "release", "ledger"):
        test = page(judged, name)
        assert "as a random" not in said(test)
        for chart in test.get("plotly_chart"):
            assert '"real"' not in chart.proto.spec


@pytest.mark.long
def test_two_runs_are_compared_and_mapped_without_the_private_table(judged: Project) -> None:
    test = page(judged, "compare")
    assert len(test.table[0].value) == 2
    assert "already paid for" in said(test)
    test.button(key="draw-map").click().run()
    assert compare.map_of(judged).exists
    until(test, "draw-map")
    assert compare.drawn_map(judged) is not None
    drawn = [chart.key for chart in test.get("plotly_chart")]
    parts = ["tradeoff", "column-chart", "pair-chart", "map"]
    if compare.differing_columns(compare.standings(runs.tables(judged))):
        parts.insert(1, "apart")
    assert drawn == [f"compare-{part}" for part in parts]


@pytest.mark.long
def test_another_table_is_made_for_free_and_stands_beside_the_first(judged: Project) -> None:
    project = replace(judged, method=Method(name="mst", rows=300), drafting=True)
    project = runs.start(project)
    assert runner.wait(Job.find(project.runs[-1]), seconds=600).state is State.DONE
    projects.save(project)
    test = page(project, "results")
    assert "Another table" in " ".join(h.value for h in test.header)
    test.selectbox(key=f"another-by-{project.runs[-1]}").select("independent").run()
    test.button(key="make-another").click().run()
    assert "stop-another" in {button.key for button in test.button}
    until_offered(test, "Run 3, again by Independent columns")
    assert len(page(project, "compare").table[0].value) == 4


def until_offered(test: AppTest, label: str) -> None:
    deadline = time.monotonic() + 600
    while label not in " ".join(o for box in test.selectbox for o in box.options):
        assert time.monotonic() < deadline, [w.value for w in test.warning]
        time.sleep(0.3)
        test.run()


@pytest.mark.long
def test_one_click_makes_a_table_by_every_generator_that_suits(judged: Project) -> None:
    project = replace(judged, method=Method(name="mst", rows=300), drafting=True)
    project = runs.start(project)
    assert runner.wait(Job.find(project.runs[-1]), seconds=600).state is State.DONE
    projects.save(project)
    test = page(project, "results")
    offered = further.open_to(Job.find(project.runs[-1]).spec())
    assert test.button(key="make-every").label.startswith(f"Make all {len(offered)}")
    test.button(key="make-every").click().run()
    until_offered(test, "Run 3, again by Independent columns")
    task = further.task_of(project, runs.tables(project)[-1])
    assert set(task.order()["generators"]) == set(offered)
    runner.cancel(task)  # before the slow ones, if it is not at its end
    assert runner.wait(task, seconds=600).state.is_end
    made = len(offered) - len(further.open_to(Job.find(project.runs[-1]).spec()))
    assert made >= 1 and len(page(project, "compare").table[0].value) == 3 + made
