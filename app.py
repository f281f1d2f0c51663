"""The app's router: `streamlit run app.py`, or `python -m synth app`."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from synth.ui import guards, state, text

ASSETS = Path(__file__).parent / "assets"
PAGES = [
    st.Page(
        "pages/data.py", title=text.DATA_TITLE, icon=":material/table_view:", url_path="data", default=True
    ),
    st.Page("pages/run.py", title=text.RUN_TITLE, icon=":material/tune:", url_path="run"),
    st.Page("pages/results.py", title=text.RESULTS_TITLE, icon=":material/monitoring:", url_path="results"),
]

st.set_page_config(page_title=text.APP, page_icon=":material/blur_on:", layout="wide")
page = st.navigation(PAGES)
st.logo(ASSETS / "logo.svg", size="large")
st.html(ASSETS / "style.css")
st.sidebar.caption(text.TAGLINE)
with guards.neutral():
    state.current()
    page.run()
