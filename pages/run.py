"""Start, and watch."""

from __future__ import annotations

import streamlit as st

from synth.ui import declared, desk, layout, panels, state, text

project = state.current()
layout.header(text.RUN_TITLE, text.RUN_LEAD)
if project is None or not project.data:
    layout.locked(text.NO_PROJECT, "pages/project.py", text.DATA_TITLE)
else:
    table = declared.read(project)
    layout.summary(project, table.schema)
    if project.drafting:
        sheet = desk.sheet(project, desk.line_of(project))
        panels.ledger(sheet, project, key="ledger")
        if st.button(text.REVIEW_BUTTON, type="primary", icon=":material/rocket_launch:", key="review"):
            panels.confirm(project, table, sheet)
    else:
        panels.watch(project)
