"""The page says which comparison it is, names the best of each question, and draws no map by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.project.results import compare
from synth.app.project.store import Project
from synth.core.numbers import TIMES

Twice = Callable[[], Project]
Draw = Callable[[Callable[[], None], Project], AppTest]


def page() -> None:
    from synth.app.project.results import compare
    from synth.app.project.runs import finished
    from synth.app.ui import state
    from synth.app.ui.compare import panels as compare_panels

    project = state.current()
    assert project is not None
    compare_panels.kind(rehearsal=project.rehearsal)
    chosen = compare_panels.choose(finished(project))
    found = compare.standings(chosen)
    compare_panels.shifted(project, found)
    compare_panels.table(found, "people")
    compare_panels.tradeoff(finished(project), chosen, "people")
    compare_panels.apart(found)
    compare_panels.column(found)
    compare_panels.pair(found)
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
    told = [chart.proto.alt for chart in charts]
    assert any(alt.startswith("Bar charts of age on one scale") and "Run 1, Run 2" in alt for alt in told)
    assert any(alt.startswith("Error of columns of 2 runs") for alt in told)
    assert any(alt.startswith(f"Heat maps of age{TIMES}ward on one scale") for alt in told)
    app.selectbox(key="compare-column").set_value("ward").run()
    assert not app.exception


def test_a_pair_is_shown_less_that_of_another_run(twice: Twice, draw: Draw) -> None:
    app = draw(page, twice())
    app.selectbox(key="compare-pair-against").set_value("Each other run less Run 1").run()
    assert not app.exception
    assert any("each less Run 1" in chart.proto.alt for chart in app.get("plotly_chart"))
    app.selectbox(key="compare-pair-one").set_value("ward").run()
    assert not app.exception and any("two different columns" in box.value for box in app.info)


def test_a_choice_that_changes_numbers_says_so_once(twice: Twice, draw: Draw) -> None:
    project = twice()
    app, key = draw(page, project), f"compared-{project.id}"
    assert not app.info
    before = app.session_state[key]
    app.session_state[key] = tuple(
        replace(s, columns=replace(s.columns, marginals=9)) if s.columns is not None else s for s in before
    )
    app.run()
    (said,) = (box.value for box in app.info)
    assert (
        "reckoned anew" in said
        and "Other counts are at hand" in said
        and "Run 1, columns" in said
        and "over 9, now" in said
    )
    app.run()
    assert not app.info


def test_a_map_is_drawn_when_asked_for(twice: Twice, draw: Draw, monkeypatch: pytest.MonkeyPatch) -> None:
    project = twice()
    app = draw(page, project)
    assert not compare.map_of(project).exists
    monkeypatch.setattr("synth.app.jobs.executor.LocalProcesses.start", lambda self, task: None)
    app.button(key="draw-map").click().run()
    assert tuple(compare.map_of(project).order()["runs"]) == project.runs
    assert not app.exception
