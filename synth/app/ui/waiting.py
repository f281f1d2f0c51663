"""Watch tasks that run in other processes. While a task is in progress, the page checks it every second."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

import streamlit as st

from synth.app.figures import fits as figures
from synth.app.jobs import runner
from synth.app.jobs.elsewhere.choice import chosen
from synth.app.jobs.spec import MAP_ROWS, MOST_MAP_ROWS
from synth.app.jobs.store import Event, State, Status, Task
from synth.app.maps.atlas import seconds
from synth.app.project.results import progress
from synth.app.ui import guards, layout, text

TICK_SECONDS = 1.0
_MAP_CHOICES = (1_000, MAP_ROWS, 5_000, MOST_MAP_ROWS)
_STARTING = "Starting"


def watch(
    task: Task,
    *,
    key: str,
    stop: str = "",
    stop_help: str | None = None,
    stages: Mapping[str, str] = MappingProxyType({}),
    more: Callable[[], None] = lambda: None,
) -> State | None:
    """Show a task in progress, or the reason why it ended early. Return its state, or None if there is no
    task.

    The page is redrawn when the task ends. `stop` is the key of the button that stops the task. Without a
    key, there is no button. `stages` maps stages to texts that are shown instead of the latest public fact.
    `more` draws further content below the bar.
    """
    status = runner.find_status(task)
    if status is None:
        return None
    if not status.state.is_end:
        st.fragment(_bar, run_every=TICK_SECONDS, key=key)(task, stop, stop_help, stages, more)
    elif status.sentence:
        reference = f" Ask about reference {status.reference}." if status.reference else ""
        st.warning(text.plain(status.sentence) + reference, icon=":material/warning:")
    return status.state


def _bar(
    task: Task, stop: str, stop_help: str | None, stages: Mapping[str, str], more: Callable[[], None]
) -> None:
    with guards.neutral():
        status = runner.status(task)
        if status.state.is_end:
            st.rerun()
            return
        st.progress(min(max(status.done, 0.0), 1.0), text=_label(status, stages))
        more()
        if stop and st.button("Stop", icon=":material/stop:", help=stop_help, key=stop):
            runner.cancel(task)


def _label(status: Status, stages: Mapping[str, str]) -> str:
    fact = text.plain(status.fact)
    if not stages:
        return fact or _STARTING
    stage = stages.get(status.stage, _STARTING)
    return f"{stage}: {fact}" if status.stage == "map" else stage


def runs_on(task: Task | None = None) -> None:
    """Show which machine does the public work of a task, or would do this work."""
    with guards.shown():
        place = (task.where() if task is not None else "") or chosen().title
        st.caption(f"Runs on: {text.plain(place)}.")


def loss(events: Iterable[Event], *, key: str) -> None:
    """Draw the loss of the fits in an expander, if at least one fit has two or more steps."""
    courses = progress.courses(events)
    if any(len(course.steps) > 1 for course in courses):
        with st.expander("Training loss", icon=":material/show_chart:"):
            layout.picture(figures.loss(courses), key=key)
            st.caption(
                "Loss of the model against the noisy measurements. If it falls below the noise level, the "
                "model is overfitting."
            )


def map_rows(tables: int, *, key: str) -> int:
    """Ask how many rows of each table the map should contain, and show how long it will take."""
    rows = layout.one_of(
        "Rows from each table on the map",
        {number: f"{number:,}" for number in _MAP_CHOICES},
        MAP_ROWS,
        help=("More rows show sparse regions better but take longer. A map has at most 30,000 rows."),
        key=key,
    )
    minutes = seconds(rows, tables) / 60
    time = "less than a minute" if minutes < 1 else f"about {text.number_of(round(minutes), 'minute')}"
    st.caption(f"The map takes {time} on a free machine, and longer on a busy one.")
    return rows
