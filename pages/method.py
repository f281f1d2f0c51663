"""Choose how the table is measured, and which further tables are made from the same answers."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from synth.ui import declared, layout, method, state
from synth.ui.text import method as text

project = layout.enter("method", lead=text.LEAD)
if project is not None:
    table = declared.read(project)
    place = st.container()
    method.help_me(project, table)
    method.cards(project, table)
    project = method.settings(project, table)
    method.size(project, table)
    project = state.accept(replace(project, method=method.extras(project.method)))
    layout.onward(project, "method")
    with place:
        layout.summary(project, table.schema)
