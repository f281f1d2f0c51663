"""A bar tells the latest public fact and goes when there is nothing to wait for."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def test_a_bar_says_how_far_work_is_and_goes_when_it_has_ended() -> None:
    def page() -> None:
        import streamlit as st

        from synth.jobs.store import State, Status
        from synth.ui import waiting

        facts = st.session_state.setdefault("facts", ["", "writing *papers*"])
        if not facts:
            st.text("ended")
            return
        state = State.RUNNING if len(facts) > 1 else State.DONE
        waiting.bar(lambda: Status(state=state, done=0.5), starting="Getting ready", key="work")
        if state is State.DONE:
            facts.clear()

    app = AppTest.from_function(page).run()
    assert not app.exception
    app.session_state["facts"] = ["done"]
    app.run()
    assert not app.exception
