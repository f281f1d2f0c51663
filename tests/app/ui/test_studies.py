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


def test_one_that_failed_says_its_sentence_and_reference(tmp_path: Path) -> None:
    app = at(tmp_path, Status(state=State.FAILED, sentence="It broke.", reference="0a1b"))
    assert "It broke" in app.warning[0].value and "0a1b" in app.warning[0].value


def test_one_that_is_done_says_nothing(tmp_path: Path) -> None:
    app = at(tmp_path, Status(state=State.DONE))
    assert app.text[0].value == "done"
    assert not app.warning and not app.button


def test_where_there_is_none_there_is_nothing() -> None:
    def page() -> None:
        from pathlib import Path

        import streamlit as st

        from synth.app.jobs.store import Task
        from synth.app.ui import studies

        st.text(str(studies.watch(Task(Path("/nowhere"), "study"), stages={}, key="s")))

    assert AppTest.from_function(page).run().text[0].value == "None"


def test_the_time_of_a_map_follows_the_rows_asked_for() -> None:
    def page() -> None:
        import streamlit as st

        from synth.app.ui import studies

        st.text(str(studies.map_rows(3, key="rows")))

    app = AppTest.from_function(page).run()
    assert app.text[0].value == "2000"
    before = app.caption[0].value
    app.segmented_control(key="rows").set_value(10_000).run()
    assert app.text[0].value == "10000" and app.caption[0].value != before
