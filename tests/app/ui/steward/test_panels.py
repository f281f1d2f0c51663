"""The private evaluation: a notice, a form, findings with words, and no way to download them."""

from synth.app.jobs import runner
from synth.app.jobs.store import State
from synth.app.project import decisions, journey
from synth.app.project import store as projects
from synth.app.project.results import steward
from synth.core.numbers import TIMES
from tests.app.ui.conftest import Draw, Twice


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


def test_the_notice_says_what_it_opens(twice: Twice, draw: Draw) -> None:
    project = twice()
    app = draw("steward.panels.gate", project)
    said = " ".join(m.value for m in app.markdown)
    assert "without noise" in said and "logged" in said
    app.button(key="open-steward").click().run()
    assert steward.is_open(projects.load(project.id))


def test_findings_come_with_pictures_words_and_plain_tables(twice: Twice, draw: Draw) -> None:
    project = twice()
    steward.begin(project, project.runs, targets=("ward",), held_out="", mapped=True, rows=100)
    assert runner.wait(steward.study_of(project), seconds=600).state is State.DONE
    project = journey.settle(project, steward.STEP)
    app = draw(findings, project)
    pictures = app.get("plotly_chart")
    assert len(pictures) == 6
    assert all(picture.proto.alt for picture in pictures)
    for key in ("distances", "overlay", "pairs", "pair-chart", "scores"):
        app.session_state[f"steward-{key}-fold"] = True
    before = len(app.table)
    assert len(app.run().table) > before and not app.dataframe and not app.get("download_button")
    assert any("equivalent random sample" in caption.value for caption in app.caption)
    assert "best" in app.table[0].value.to_string()
    assert decisions.has_looked(project)
    app.selectbox(key="steward-column").set_value("ward").run()
    (pair,) = (
        p
        for p in app.get("plotly_chart")
        if p.proto.alt.startswith(f"Real and synthetic shares of age{TIMES}")
    )
    assert "of the rows differ" in pair.proto.alt
