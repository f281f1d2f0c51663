"""A fit under way, drawn from what its task has told."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from synth.app.figures import fits as figures
from synth.app.jobs.store import Event
from synth.app.project.results import progress
from synth.app.ui import layout
from synth.app.ui.text import run as text


def show(events: Iterable[Event], *, key: str) -> None:
    """How fits that tell their loss come nearer to the noisy answers; nothing while none told it twice."""
    courses = progress.courses(events)
    if any(len(course.steps) > 1 for course in courses):
        st.subheader(text.FIT_TITLE, anchor=False)
        layout.chart(figures.loss(courses), key=key)
        st.caption(text.FIT_NOTE)
