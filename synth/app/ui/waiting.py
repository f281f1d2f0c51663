"""Work of other processes, watched: a page asks once a second while there is something to wait for."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from synth.app.jobs.elsewhere.choice import chosen
from synth.app.jobs.store import Status, Task
from synth.app.ui import guards, text

TICK_SECONDS = 1.0


def bar(status_of: Callable[[], Status | None], *, starting: str, key: str) -> None:
    """A bar with the latest public fact, or `starting`; the page is drawn again when the work has ended."""
    st.fragment(_bar, run_every=TICK_SECONDS, key=key)(status_of, starting)


def runs_on(task: Task | None = None) -> None:
    """Who does the public work of a task, or would do it if one were started."""
    with guards.shown():
        place = (task.where() if task is not None else "") or chosen().title
        st.caption(f"Runs on: {text.plain(place)}.")


def _bar(status_of: Callable[[], Status | None], starting: str) -> None:
    with guards.neutral():
        status = status_of()
        if status is None or status.state.is_end:
            st.rerun()
            return
        st.progress(min(max(status.done, 0.0), 1.0), text=text.plain(status.fact) or starting)
