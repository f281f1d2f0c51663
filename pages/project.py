"""Start or continue a project. For an open project, show the progress and the next step."""

from __future__ import annotations

import streamlit as st

from synth.app.project import journey
from synth.app.ui import layout, login, state
from synth.app.ui.project import panels as project_panels
from synth.app.ui.text import project as text

project, who = state.current(), login.current()
if project is not None:
    layout.header(journey.BY_NAME["project"].title)
    layout.summary(project)
    project_panels.overview(project)
else:
    layout.header("Create synthetic data", text.LEAD)
    layout.drawing("start", alt=text.START_ALT)
    if who.may_begin:
        left, right = st.columns(2, gap="medium")
        with left.container(border=True, height="stretch"):
            project_panels.demo()
        with right.container(border=True, height="stretch"):
            project_panels.new()
        project_panels.taking_in()
        project_panels.listing(who.name)
    else:
        st.info(
            "Ask a steward for the address of a project. You can then view the project here.",
            icon=":material/info:",
        )
