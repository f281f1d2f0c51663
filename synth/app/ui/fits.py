"""The training loss of a fit, from the events of its task."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from synth.app.figures import fits as figures
from synth.app.jobs.store import Event
from synth.app.project.results import progress
from synth.app.ui import layout
from synth.app.ui.text import run as text


def show(events: Iterable[Event], *, key: str) -> None:
    """The training loss of fits that report it, in a fold; nothing before a second report."""
    courses = progress.courses(events)
    if any(len(course.steps) > 1 for course in courses):
        with st.expander("Training loss", icon=":material/show_chart:"):
            layout.picture(figures.loss(courses), key=key)
            st.caption(text.FIT_NOTE)
