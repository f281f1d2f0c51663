"""A study at work is shown with its stage and a stop; an ended one says why it ended."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.jobs.process import Process
from synth.app.jobs.spec import StudyKind, StudyOrder
from synth.app.jobs.store import State, Status, Task, now


def at(folder: Path, status: Status) -> AppTest:
    place = Task(folder, "study")
    place.write_order(asdict(StudyOrder(kind=StudyKind.STEWARD, runs=("r",))))
    place.write_process(Process.of(os.getpid()))
    place.write_status(status)

    def page(folder: str) -> None:
        from pathlib import Path

        import streamlit as st

        from synth.app.jobs.store import Task
        from synth.app.ui import studies

        st.text(str(studies.watch(Task(Path(folder), "study"), stages={"map": "Drawing"}, key="s")))

    app = AppTest.from_function(page, args=(str(folder),)).run()
    assert not app.exception
    return app


def test_one_at_work_shows_its_step_and_stops_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Task] = []
    monkeypatch.setattr("synth.app.jobs.runner.cancel", asked.append)
    app = at(tmp_path, Status(state=State.RUNNING, stage="map", done=0.4, fact="step 25 of 750", at=now()))
    assert app.text[0].value == "running"
    assert any("nothing of the budget" in c.value for c in app.caption)
    app.button(key="stop-s").click().run()
    assert asked == [Task(tmp_path, "study")]
