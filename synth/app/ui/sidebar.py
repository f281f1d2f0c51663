"""The steps in the sidebar of every page. Open steps are links, and locked steps are counted."""

from __future__ import annotations

import streamlit as st

from synth.app.project import journey
from synth.app.project.journey import Mark, Station
from synth.app.project.store import Project
from synth.app.ui import guide
from synth.app.ui.text import frame as text


def draw(project: Project | None) -> None:
    """Draw a link for each open step under the heading of its part, and then the number of locked steps.

    Users can open the page of a locked step by its address. It states what the step needs.
    """
    stations = journey.stations(journey.facts_of(project))
    locked = [station.step.title for station in stations if station.mark is Mark.LOCKED]
    with st.sidebar, st.container(key="journey", gap="xxsmall"):
        for part in journey.PARTS:
            shown = [s for s in stations if s.step.part == part and s.mark is not Mark.LOCKED]
            if shown:
                st.caption(f"**{part}**")
            for station in shown:
                _link(station, project)
    with st.sidebar:
        if locked:
            st.caption(text.later(len(locked)), help=", ".join(locked))
        guide.switch()


def _link(station: Station, project: Project | None) -> None:
    done = station.mark is Mark.DONE
    st.page_link(
        station.step.page,
        label=f"{station.step.title} :gray[:small[{text.DONE}]]" if done else station.step.title,
        icon=":material/check_circle:" if done else station.step.icon,
        query_params={"p": project.id} if project else None,
        width="stretch",
    )
