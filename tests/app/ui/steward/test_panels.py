"""The private evaluation: a notice, a form, findings with words, and no way to download them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from streamlit.testing.v1 import AppTest

from synth.app.jobs import runner
from synth.app.jobs.store import State
from synth.app.project import decisions, journey
from synth.app.project import store as projects
from synth.app.project.results import steward
from synth.app.project.runs import finished
from synth.app.project.store import Project
from synth.core.numbers import TIMES

Twice = Callable[[], Project]
Draw = Callable[[Callable[[], None], Project], AppTest]


def gate() -> None:
    from synth.app.ui import state
    from synth.app.ui.steward import panels as steward_panels

    project = state.current()
    assert project is not None
    steward_panels.gate(project)


def order() -> None:
    from synth.app.project.runs import finished
    from synth.app.ui import state
    from synth.app.ui.steward import panels as steward_panels
    from synth.dictionaries import load_schema

    project = state.current()
    assert project is not None
    steward_panels.order(project, load_schema(project.schema), finished(project))


def findings() -> None:
    from synth.app.project.results import steward
    from synth.app.project.runs import finished
    from synth.app.ui import state
    from synth.app.ui.steward import panels as steward_panels
    from synth.dictionaries import load_schema

    project = state.current()
    assert project is not None
    runs = finished(project)
    found = steward.reveal(project, runs)
    assert found is not None
    steward_panels.comparison(project, load_schema(project.schema), runs, found)


def ready(project: Project, *, runs: int = 2, mapped: bool = False) -> Project:
    steward.begin(project, project.runs[:runs], targets=("ward",), held_out="", mapped=mapped, rows=100)
    deadline = time.monotonic() + 600
    while not (seen := runner.status(steward.study_of(project))).state.is_end:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert seen.state is State.DONE, seen
    return journey.settle(project, steward.STEP)


def test_the_notice_says_what_it_opens(twice: Twice, draw: Draw) -> None:
    project = twice()
    app = draw(gate, project)
    said = " ".join(m.value for m in app.markdown)
    assert "without noise" in said and "logged" in said
    app.button(key="open-steward").click().run()
    assert steward.is_open(projects.load(project.id))


def test_a_wrong_form_is_answered_on_the_page(twice: Twice, draw: Draw) -> None:
    app = draw(order, twice())
    assert app.multiselect(key="steward-runs").value == ["run-1", "run-2"]
    app.text_input(key="steward-held-out").set_value("nothing.csv")
    app.button(key="start-steward").click().run()
    assert "no file" in app.error[0].value
    app.text_input(key="steward-held-out").set_value("")
    app.multiselect(key="steward-runs").set_value([])
    app.button(key="start-steward").click().run()
    assert "Choose 1 to 8 runs" in app.error[0].value


def test_findings_come_with_pictures_words_and_plain_tables(twice: Twice, draw: Draw) -> None:
    project = ready(twice(), mapped=True)
    app = draw(findings, project)
    pictures = app.get("plotly_chart")
    assert len(pictures) == 6
    assert all(picture.proto.alt for picture in pictures)
    for key in ("distances", "overlay", "pairs", "pair-chart", "scores"):
        app.session_state[f"steward-{key}-fold"] = True
    before = len(app.table)
    assert len(app.run().table) > before and not app.dataframe and not app.get("download_button")
    worth = [m.value for m in app.markdown if "equivalent random sample" in m.value]
    assert len(worth) == 2
    assert "best" in app.table[0].value.to_string()
    assert decisions.has_looked(project)
    app.selectbox(key="steward-column").set_value("ward").run()
    assert not app.exception
    (pair,) = (
        p
        for p in app.get("plotly_chart")
        if p.proto.alt.startswith(f"Real and synthetic shares of age{TIMES}")
    )
    assert "of the rows differ" in pair.proto.alt


def test_the_order_begins_with_the_newest_runs_and_offers_every_table(twice: Twice) -> None:
    one, two = finished(twice())
    again = replace(two, run="run-2-mst", generator="MST")
    runs = (one, replace(one, run="run-1-mst", generator="MST"), two, again)
    assert steward.default_runs(runs, first="run-2") == ["run-1", "run-2"]
    assert steward.default_runs(runs, first="run-2-mst") == ["run-1", "run-2", "run-2-mst"]
    newer = replace(two, run="run-3")
    assert steward.default_runs((*runs, newer), first="run-1-mst") == ["run-1-mst", "run-2", "run-3"]


def test_what_is_missing_is_named_a_cap_is_stated_and_a_comparison_is_deleted(
    twice: Twice, draw: Draw
) -> None:
    project = ready(twice(), runs=1)
    app = draw(findings, project)
    assert "Run 2" in app.info[0].value
    assert not any("The real table is used after" in note.value for note in app.info), "there is no cap"
    assert any("There is no map" in c.value for c in app.caption)
    unit = {**project.schema["unit"], "max_rows": 3, "id_column": "ward"}
    app = draw(findings, replace(project, schema={**project.schema, "unit": unit}))
    (told,) = (note.value for note in app.info if "The real table is used after" in note.value)
    assert "keeps at most 3 rows" in told and "blank ward" in told
    app.button(key="forget-steward").click()
    app.run()
    assert not steward.study_of(project).exists
