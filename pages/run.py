"""Set the budget and the method, see what they buy, start, and watch."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from synth.ui import alts, charts, declared, desk, forecast, forms, layout, panels, state, text
from synth.ui.project import Project


def budget(project: Project, table: declared.Declared, line: desk.Line) -> Project:
    """Epsilon and delta, in odds and in people."""
    st.header(text.BUDGET_TITLE, anchor=False)
    chosen = forms.budget_form(project.budget, opened=line.limit is not None)
    if chosen.epsilon > forms.HIGH:
        st.warning(text.HIGH_EPSILON, icon=":material/warning:")
    left, right = st.columns(2, gap="large")
    with left:
        posterior, power = desk.ceiling(chosen.epsilon, chosen.delta)
        st.subheader(text.ODDS_TITLE, anchor=False)
        figure = charts.odds(posterior, colours=layout.palette())
        st.plotly_chart(figure, config=layout.PLOT, key="odds", alt=alts.odds(posterior))
        st.markdown(text.odds(posterior, power, chosen.epsilon))
        st.caption(text.ODDS_NOTE)
    with right:
        st.subheader(text.ERROR_TITLE, anchor=False)
        expected = forecast.expect(table.schema, epsilon=chosen.epsilon, delta=chosen.delta)
        st.table(panels.error_table(table.schema, expected), hide_index=True, border="horizontal")
        st.caption(text.error_note(table.schema))
        panels.ledger(line, chosen, table.schema.population)
    return replace(project, budget=chosen)


def method(project: Project) -> Project:
    """A mechanism of the registry and the form its fields ask for."""
    st.header(text.METHOD_TITLE, anchor=False)
    chosen = forms.method_form(project.method)
    return replace(project, method=chosen)


project = state.current()
layout.header(text.RUN_TITLE, text.RUN_LEAD)
if project is None:
    layout.locked(text.NO_PROJECT, "pages/data.py", text.DATA_TITLE)
else:
    table = declared.read(project)
    layout.summary(project, table.schema)
    if project.drafting:
        line = desk.line(table.schema.population)
        project = state.accept(method(budget(project, table, line)))
        if st.button(text.REVIEW_BUTTON, type="primary", icon=":material/rocket_launch:", key="review"):
            panels.confirm(project, table, line)
    else:
        panels.watch(project)
