"""Choose how the table is measured, and which further tables are made from the same answers."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from synth.project import declared
from synth.project.declared import Declared
from synth.project.store import Project
from synth.ui import layout, state
from synth.ui.method import panels as method
from synth.ui.run import panels as running
from synth.ui.text import method as text


def choose(project: Project, table: Declared) -> None:
    """Cards, settings and extra tables; kept as they are chosen."""
    place = st.container()
    method.help_me(project, table)
    method.cards(project, table)
    project = method.settings(project, table)
    method.size(project, table)
    project = state.accept(replace(project, method=method.extras(project.method)))
    layout.onward(project, "method")
    with place:
        layout.summary(project, table.schema)


project = layout.enter("method", lead=text.LEAD)
if project is not None:
    table = declared.read(project)
    if declared.is_frozen(project):
        layout.summary(project, table.schema)
        running.frozen(project, table)
    else:
        choose(project, table)
