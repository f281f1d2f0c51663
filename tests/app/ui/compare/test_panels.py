"""The compare page marks the best of each metric, notes changed errors, and draws a map on demand."""

import re

import pytest

from synth.app.project.results import compare
from synth.core.numbers import TIMES
from tests.app.ui.conftest import Draw, Twice


def page() -> None:
    from synth.app.project.results import compare
    from synth.app.project.runs import finished
    from synth.app.ui import state
    from synth.app.ui.compare import panels as compare_panels

    project = state.current()
    assert project is not None
    chosen = compare_panels.choose(finished(project))
    found = compare.standings(chosen)
    compare_panels.table(found)
    compare_panels.tradeoff(finished(project), chosen)
    compare_panels.apart(found)
    compare_panels.column(found)
    compare_panels.pair(found)
    compare_panels.drift(project, finished(project))
    compare_panels.atlas(project, finished(project), chosen)


def test_every_run_has_a_row_and_the_charts_have_words(twice: Twice, draw: Draw) -> None:
    app = draw(page, twice())
    assert len(app.table[0].value) == 2
    assert any("have a measured accuracy" in box.value for box in app.info)
    charts = app.get("plotly_chart")
    stated = [chart.proto.alt for chart in charts]
    assert any(alt.startswith("Bar charts of age on one scale") and "Run 1, Run 2" in alt for alt in stated)
    assert not any(alt.startswith("Error of") for alt in stated), "two runs are no trade-off"
    assert any(alt.startswith(f"Heat maps of age{TIMES}ward on one scale") for alt in stated)
    app.selectbox(key="compare-column").set_value("ward").run()
    app.selectbox(key="compare-pair-against").set_value("Difference to Run 1").run()
    assert any("each minus Run 1" in chart.proto.alt for chart in app.get("plotly_chart"))
    app.selectbox(key="compare-pair-one").set_value("ward").run()
    assert any("two different columns" in box.value for box in app.info)


def test_drift_is_shown_between_two_runs(twice: Twice, draw: Draw) -> None:
    """At 95%, noise alone can be found as a change, so either sentence is right."""
    app = draw(page, twice())
    assert any(re.search(r"change was found in the records|records changed", b.value) for b in app.markdown)
    app.toggle(key="compare-drift-population").set_value(True).run()
    said = re.compile(r"change was found in the populations|populations changed")
    assert any(said.search(box.value) for box in app.markdown)
    assert any(said.search(chart.proto.alt) for chart in app.get("plotly_chart"))
    app.selectbox(key="compare-drift-before").set_value(app.selectbox(key="compare-drift-after").value).run()
    assert any("two different releases" in box.value for box in app.info)


def test_a_map_is_drawn_when_asked_for(twice: Twice, draw: Draw, monkeypatch: pytest.MonkeyPatch) -> None:
    project = twice()
    app = draw(page, project)
    assert not compare.map_of(project).exists
    monkeypatch.setattr("synth.app.jobs.executor.LocalProcesses.start", lambda self, task: None)
    app.button(key="draw-map").click().run()
    assert tuple(compare.map_of(project).order()["runs"]) == project.runs
