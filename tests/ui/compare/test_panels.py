"""The page says which comparison it is, names the best of each question, and draws no map by itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from synth.project import compare
from synth.project.store import Project

Twice = Callable[[], Project]
Draw = Callable[[Callable[[], None], Project], AppTest]


def page() -> None:
    from synth.project import compare
    from synth.project.runs import finished
    from synth.ui import state
    from synth.ui.compare import panels as compare_panels

    project = state.current()
    assert project is not None
    compare_panels.kind(rehearsal=project.rehearsal)
    chosen = compare_panels.choose(finished(project))
    found = compare.standings(chosen)
    compare_panels.table(found, "people")
    compare_panels.column(found)
    compare_panels.atlas(project, finished(project), chosen)


def test_the_kind_of_comparison_stands_over_the_table(twice: Twice, draw: Draw) -> None:
    app = draw(page, twice())
    said = [m.value for m in app.markdown]
    assert any("already paid for" in s for s in said)
    assert sum(line.startswith(("1.", "2.", "3.", "4.")) for s in said for line in s.split("\n")) == 4
    assert any("Hold a share of the budget back" in c.value for c in app.caption)


def test_every_run_has_a_row_and_the_chart_has_words(twice: Twice, draw: Draw) -> None:
    app = draw(page, twice())
    assert len(app.table[0].value) == 2
    charts = app.get("plotly_chart")
    assert len(charts) == 1 and "Run 1, Run 2" in charts[0].proto.alt
    app.selectbox(key="compare-column").set_value("ward").run()
    assert not app.exception


def test_a_map_is_drawn_when_asked_for(twice: Twice, draw: Draw, monkeypatch: pytest.MonkeyPatch) -> None:
    project = twice()
    app = draw(page, project)
    assert not compare.map_of(project).exists
    monkeypatch.setattr("synth.jobs.executor.LocalProcesses.start", lambda self, task: None)
    app.button(key="draw-map").click().run()
    assert tuple(compare.map_of(project).order()["runs"]) == project.runs
    assert not app.exception
