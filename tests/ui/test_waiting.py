"""A bar tells the latest public fact and goes when there is nothing to wait for."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def test_a_bar_is_there_while_work_is_under_way_and_the_page_is_drawn_anew_at_its_end() -> None:
    def page() -> None:
        import streamlit as st

        from synth.jobs.store import State, Status
        from synth.ui import waiting

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
