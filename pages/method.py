"""Choose the method, and further generators that use the same measurements."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from synth.app.project import declared
from synth.app.project.declared import Declared
from synth.app.project.store import Project
from synth.app.ui import layout, state
from synth.app.ui.method import panels as method_panels
from synth.app.ui.run import panels as run_panels
from synth.app.ui.text import method as text


def choose(project: Project, table: Declared) -> None:
    """Draw the recommended method, the other methods, the settings and the further tables."""
    place = st.container()
    advice = method_panels.recommend(project, table)
    method_panels.others(project, table, advice)
    project = method_panels.settings(project, table)
    project = state.accept(replace(project, method=method_panels.extras(project.method, table)))
    layout.onward(project, "method")
    with place:
        layout.summary(project, table.schema)


project = layout.enter("method", lead=text.LEAD)
if project is not None:
    table = declared.read(project)
    if declared.is_frozen(project):
        layout.summary(project, table.schema)
        run_panels.frozen(project, table)
    else:
        choose(project, table)
