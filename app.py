"""Set up the pages of the app. Start it with `python -m synth app` or `streamlit run app.py`."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from synth.app.project import journey
from synth.app.ui import guards, layout, login, sidebar, state, text
from synth.app.ui.text import frame as login_words

ASSETS = Path(__file__).parent / "assets"
PAGES = [
    st.Page(step.page, title=step.title, icon=step.icon, url_path=step.name, default=step.name == "project")
    for step in journey.STEPS
]

st.set_page_config(page_title=text.APP, page_icon=str(ASSETS / "icon.svg"), layout="wide")
page = st.navigation(PAGES, position="hidden")
st.logo(ASSETS / "logo.svg", size="large")
st.html(ASSETS / "style.css")
st.sidebar.caption(text.TAGLINE)
with guards.neutral():
    who = login.gate()
    project = state.arrive(page.url_path)
    sidebar.draw(project)
    if state.overtaken():
        layout.overtaken(page.title)  # the page itself is not drawn, so that its fields are forgotten
    elif not who.may_open(page.url_path or "project", project):
        layout.header(page.title, login_words.NOT_YOURS)
    else:
        page.run()
        if journey.facts_of(state.current()) != journey.facts_of(project):
            st.rerun()  # the page has changed the state of steps, so their marks are redrawn
