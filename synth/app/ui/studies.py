"""A study as it goes: a bar that asks once a second while there is something to wait for, and its end."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from synth.app.jobs import runner
from synth.app.jobs.spec import MAP_ROWS, MOST_MAP_ROWS
from synth.app.jobs.store import State, Task
from synth.app.maps.atlas import seconds
from synth.app.project.results.progress import seconds_left
from synth.app.ui import guards, layout
from synth.app.ui import text as words
from synth.app.ui.text import studies as text
from synth.app.ui.waiting import TICK_SECONDS

_MAP_CHOICES = (1_000, MAP_ROWS, 5_000, MOST_MAP_ROWS)


def map_rows(tables: int, *, key: str) -> int:
    """How many rows of each table a map takes, with the time it will need."""
    choices = {number: f"{number:,}" for number in _MAP_CHOICES}
    rows = layout.one_of("Rows from each table on the map", choices, MAP_ROWS, help=text.ROWS_HELP, key=key)
    st.caption(text.map_time(seconds(rows, tables)))
    return rows


def watch(place: Task, *, stages: Mapping[str, str], key: str) -> State | None:
    """Draw a study at work or badly ended, nothing for one that is done. Returns its state, if it has one."""
    status = runner.find_status(place)
    if status is None:
        return None
    if not status.state.is_end:
        st.fragment(_progress, run_every=TICK_SECONDS, key=key)(place, stages, key)
        st.caption("This goes on if you leave the page. It asks nothing of the budget.")
    elif status.state is not State.DONE:
        reference = f" Ask about reference {status.reference}." if status.reference else ""
        st.warning(words.plain(status.sentence) + reference, icon=":material/warning:")
    return status.state


def _progress(place: Task, stages: Mapping[str, str], key: str) -> None:
    with guards.neutral():
        status = runner.status(place)
        if status.state.is_end:
            st.rerun()
        label = stages.get(status.stage, "Starting")
        fact = f": {words.plain(status.fact)}" if status.stage == "map" else ""
        left = seconds_left(place.events())
        remaining = "" if left is None else text.left(left)
        st.progress(min(max(status.done, 0.0), 1.0), text=label + fact + remaining)
        if st.button("Stop", icon=":material/stop:", key=f"stop-{key}"):
            runner.cancel(place)
