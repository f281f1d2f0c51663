"""A bar tells the latest public fact and goes when there is nothing to wait for."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.jobs.store import Task


def test_a_bar_is_there_while_work_is_under_way_and_the_page_is_drawn_anew_at_its_end() -> None:
    def page() -> None:
        import streamlit as st

        from synth.app.jobs.store import State, Status
        from synth.app.ui import waiting

        def seen() -> Status:
            st.session_state["looks"] = st.session_state.get("looks", 0) + 1
            return Status(state=State.RUNNING if st.session_state["looks"] == 1 else State.DONE, done=0.5)

        if st.session_state.get("looks", 0) < 2:
            waiting.bar(seen, starting="Getting ready", key="work")
        else:
            st.text("ended")

    app = AppTest.from_function(page, default_timeout=60).run()
    assert not app.exception and not app.text
    app.run()
    assert not app.exception and app.text[0].value == "ended"


def test_a_page_says_who_does_it_and_who_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def page() -> None:
        import os
        from pathlib import Path

        from synth.app.jobs.store import Task
        from synth.app.ui import waiting

        waiting.runs_on()
        waiting.runs_on(Task(Path(os.environ["MARGINALIA_AT"]), "further"))

    def said() -> list[str]:
        app = AppTest.from_function(page, default_timeout=60).run()
        assert not app.exception
        return [*(c.value for c in app.caption), *(e.value for e in app.error)]

    monkeypatch.setenv("MARGINALIA_AT", str(tmp_path))
    monkeypatch.delenv("MARGINALIA_EXECUTOR", raising=False)
    assert said() == ["Runs on: this machine.", "Runs on: this machine."]
    Task(tmp_path, "further").say_where("worker seven")
    monkeypatch.setenv("MARGINALIA_EXECUTOR", f"folder:{tmp_path}")
    assert said() == ["Runs on: a worker on the shared folder.", "Runs on: worker seven."]
    monkeypatch.setenv("MARGINALIA_EXECUTOR", "moon")
    told = "MARGINALIA_EXECUTOR is 'moon', which is not an executor"
    assert any(told in word.replace("\\", "") for word in said())
