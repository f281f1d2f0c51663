"""The journey beside every page: all steps, always, each with its mark in sign and word."""

from __future__ import annotations

import streamlit as st

from synth.app.project import journey
from synth.app.project.journey import Mark, Station
from synth.app.project.store import Project
from synth.app.ui import guide
from synth.app.ui.text import frame as text

_ICONS = {Mark.DONE: ":material/check_circle:", Mark.LOCKED: ":material/lock:"}


def draw(project: Project | None) -> None:
    """One link per step under the heading of its part; a locked one can be opened and says what it needs."""
    stations = journey.stations(journey.facts_of(project))
    with st.sidebar, st.container(key="journey", gap="xxsmall"):
        for part in journey.PARTS:
            st.caption(f"**{part}**")
            for station in stations:
                if station.step.part == part:
                    _link(station, project)
    with st.sidebar:
        guide.switch()


def _link(station: Station, project: Project | None) -> None:
    word = text.MARKS[station.mark]
    st.page_link(
        station.step.page,
        label=f"{station.step.title} :gray[:small[{word}]]" if word else station.step.title,
        icon=_ICONS.get(station.mark, station.step.icon),
        help=text.MISSING[station.missing] if station.missing else None,
        query_params={"p": project.id} if project else None,
        width="stretch",
    )
