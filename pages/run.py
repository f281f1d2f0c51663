"""Set the budget and the method, see what they buy, start, and watch."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from synth.ui import declared, desk, forms, layout, panels, state, text
from synth.ui.project import Project


def budget(project: Project, table: declared.Declared) -> tuple[Project, desk.Sheet]:
    """Epsilon and delta, in odds and in people, and what is left of the lifetime budget."""
    st.header(text.BUDGET_TITLE, anchor=False)
    line = desk.line_of(project)
    chosen = forms.budget_form(project.budget, opened=line.limit is not None)
    project = replace(project, budget=chosen)
    sheet = desk.sheet(project, line)
    if chosen.epsilon > forms.HIGH:
        st.warning(text.HIGH_EPSILON, icon=":material/warning:")
    left, right = st.columns(2, gap="large")
    with left:
        panels.odds(chosen)
    with right:
        panels.expected(table.schema, chosen)
        st.subheader(text.LEDGER_TITLE.format(population=text.plain(table.schema.population)), anchor=False)
        panels.ledger(sheet, project, key="ledger")
    return project, sheet


def method(project: Project) -> Project:
    """A mechanism of the registry and the form its fields ask for."""
    st.header(text.METHOD_TITLE, anchor=False)
    return replace(project, method=forms.method_form(project.method))


project = state.current()
layout.header(text.RUN_TITLE, text.RUN_LEAD)
if project is None or not project.data:
    layout.locked(text.NO_PROJECT, "pages/project.py", text.DATA_TITLE)
else:
    table = declared.read(project)
    place = st.container()
    if project.drafting:
        project, sheet = budget(project, table)
        project = state.accept(method(project))
        if st.button(text.REVIEW_BUTTON, type="primary", icon=":material/rocket_launch:", key="review"):
            panels.confirm(project, table, sheet)
    else:
        panels.watch(project)
    with place:
        layout.summary(project, table.schema)
