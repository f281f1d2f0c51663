"""Rows of a published release from the page: said what they take, written, stopped, taken along, removed."""

import json
from dataclasses import replace

import pytest

from synth.app.jobs import runner
from synth.app.jobs.store import State
from synth.app.project import store as projects
from synth.app.project.results import publication, rows
from synth.app.project.runs import finished
from synth.app.project.store import Project
from synth.app.ui.text import plain
from synth.release.formats.forms import FORMS
from synth.release.rows import checks_beside
from tests.app.ui.conftest import Draw, Twice
from tests.app.ui.release.test_panels import WORDS, page

RELEASE = 1 + len(FORMS)
"""The downloads of a release: its package, and its table in each format."""


@pytest.fixture
def published(twice: Twice) -> Project:
    project = replace(twice(), imprint=WORDS)
    projects.save(project)
    publication.start(project, finished(project)[1], finished=2)
    runner.wait(publication.task_of(project, project.runs[1]), seconds=600)
    return project


def test_rows_are_written_taken_along_and_removed(published: Project, draw: Draw) -> None:
    app, run = draw(page, published), published.runs[1]
    app.number_input(key=f"rows-{run}").set_value(30).run()
    app.selectbox(key=f"form-{run}").set_value("csv").run()
    (said,) = [c.value for c in app.caption if "Uses no budget" in c.value]
    assert "less than 1 MB" in said and "seconds" in said
    app.button(key="write-rows").click().run()
    assert not app.error
    assert runner.wait(rows.task_of(published, run), seconds=600).state is State.DONE
    app.run()
    assert any(plain("synthetic-30.csv") in m.value for m in app.markdown)
    assert len(app.get("download_button")) == RELEASE + 1  # and these rows
    assert (app.number_input(key=f"rows-{run}").value, app.selectbox(key=f"form-{run}").value) == (30, "csv")
    app.button(key="write-rows").click().run()
    assert "already" in app.error[0].value
    app.button(key="remove-synthetic-30.csv").click().run()
    assert rows.files(published, run) == () and len(app.get("download_button")) == RELEASE


def test_rows_that_must_not_be_published_are_told_and_not_handed_out(published: Project, draw: Draw) -> None:
    run = published.runs[1]
    place = rows.task_of(published, run).folder / "files" / "synthetic-9.csv"
    place.parent.mkdir(parents=True)
    place.write_text("a\n1\n")
    for blocks in (True, False):
        flag = {"code": "x", "sentence": "Bad rows.", "blocks": blocks, "columns": [], "advice": ""}
        checks_beside(place).write_text(json.dumps({"flags": [flag]}))
        app = draw(page, published)
        assert len(app.get("download_button")) == RELEASE + (not blocks)  # and these rows
        assert app.button(key="remove-synthetic-9.csv")
        shown = app.error if blocks else [*app.error, *app.info]
        assert any(plain("Bad rows.") in box.value for box in shown)
        assert bool(app.error) is blocks
