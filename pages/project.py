"""Begin a project, go on with one, or see where the open one stands."""

from __future__ import annotations

import streamlit as st

from synth.app.project import journey
from synth.app.ui import guide, layout, login, state
from synth.app.ui.project import panels as project_panels
from synth.app.ui.text import frame as login_words
from synth.app.ui.text import project as text

project, who = state.current(), login.current()
layout.header(journey.BY_NAME["project"].title, text.LEAD_NEW if project is None else text.LEAD_OPEN)
guide.show("project", project)
if project is None and not who.may_begin:
    st.info(login_words.ASK_A_STEWARD, icon=":material/info:")
elif project is None:
    left, right = st.columns(2, gap="medium")
    with left.container(border=True, height="stretch"):
        project_panels.demo()
    with right.container(border=True, height="stretch"):
        project_panels.new()
    project_panels.taking_in()
    project_panels.listing(who.name)
else:
    layout.summary(project)
    project_panels.overview(project)
