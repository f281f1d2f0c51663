"""Show the documentation in `assets/docs`."""

from __future__ import annotations

import streamlit as st

from synth.app.project import journey
from synth.app.ui import documents, layout
from synth.app.ui.text import help as text

layout.header(journey.BY_NAME["help"].title, text.LEAD)
titles = documents.listed()
if not titles:
    st.info(text.EMPTY, icon=":material/info:")
else:
    name = layout.one_of("Page", titles, next(iter(titles)), key="document")
    for part in documents.parts(name):
        if isinstance(part, str):
            st.markdown(part)
        elif part[1].is_file():
            st.image(str(part[1]), caption=part[0], alt=part[0], width="stretch")
        else:
            st.caption(part[0])
