"""An error that could quote the data shows a number, and the log keeps only what is allow-listed."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

pytestmark = pytest.mark.usefixtures("project_home")

CANARY = "canary-value-5H8T"


def test_an_unexpected_error_leaves_a_reference_and_no_text(project_home: Path) -> None:
    def page(canary: str) -> None:
        from synth.app.ui import guards

        with guards.neutral():
            try:
                int(canary)
            except ValueError as cause:
                raise RuntimeError(f"a cell says {canary}") from cause

    app = AppTest.from_function(page, args=(CANARY,)).run()
    said = app.error[0].value
    log = (project_home / "home" / "app.log").read_text()
    facts = json.loads(log)
    assert set(facts) == {"time", "reference", "kind", "where"}
    assert facts["reference"] in said
    assert facts["kind"] == "RuntimeError"
    assert CANARY not in said + log


def test_an_error_outside_a_page_is_reported_in_the_same_words(project_home: Path) -> None:
    def page(canary: str) -> None:
        import streamlit as st

        from synth.app.ui import guards
        from synth.core.errors import Mistake

        st.text(str(guards.report(RuntimeError(canary)) and guards.report(Mistake("Type a name."))))

    app = AppTest.from_function(page, args=(CANARY,)).run()
    assert app.text[0].value == "True"
    assert "reference" in app.error[0].value
    assert CANARY not in app.error[0].value
    assert app.error[1].value == "Type a name\\."
