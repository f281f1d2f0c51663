"""Nobody sees a band without agreeing, and whoever sees one is in the log before."""

import time
from pathlib import Path
from typing import Any

import pytest

from synth.app.jobs import runner
from synth.app.jobs.kinds import fitting
from synth.app.jobs.store import Task
from synth.app.project import decisions
from synth.app.project import store as projects


def page() -> None:
    from synth.app.ui import state
    from synth.app.ui.schema import fit as fit_pieces

    project = state.current()
    assert project is not None
    fit_pieces.fit(project, ready=bool(project.data))


@pytest.fixture
def table(project_home: Path) -> str:
    path = project_home / "t.csv"
    path.write_text("age,ward,note\n" + "5,a,x\n" * 50 + "5,canary-ward-3,x\n" * 50)
    return str(path)


def test_it_takes_a_word_before_anything_is_read_or_shown(draw: Any, mine: Any, table: str) -> None:
    project = mine(data=table)
    app = draw(page, project)
    assert app.button(key="fit-start").disabled
    task = Task(project.folder / "fit", "fitting")
    runner.begin(task, fitting.order(schema=project.schema, data=project.data))
    runner.wait(task, seconds=600)
    app.run()
    assert not app.table and not decisions.has_looked(project)
    app.checkbox(key="fit-agree").check().run()
    (shown,) = app.table
    assert list(shown.value["Column"]) == ["age", "ward"]
    assert "ward" in app.warning[0].value and "canary" not in app.warning[0].value
    assert decisions.has_looked(project)
    assert "fit" in projects.load(project.id).settled


def test_the_button_starts_a_process_outside_the_session(draw: Any, mine: Any, table: str) -> None:
    project = mine(data=table)
    app = draw(page, project)
    app.checkbox(key="fit-agree").check().run()
    app.button(key="fit-start").click().run()
    deadline = time.monotonic() + 600
    while not app.table and time.monotonic() < deadline:
        time.sleep(0.2)
        app.run()
    assert len(app.table) == 1
    held = repr(app.session_state)
    assert "does not fit" not in held and "canary" not in held
