"""Choose a table by its declarations: the demo, or a file with its schema and rules."""

from __future__ import annotations

import streamlit as st

from synth.errors import Mistake
from synth.ui import alts, declared, forms, layout, state, text


def choose() -> None:
    """A table of the steward's own, with its schema and rules."""
    st.subheader(text.OWN_TITLE, anchor=False)
    st.markdown(text.OWN_BODY)
    given = forms.table_form()
    if st.button(text.OPEN_BUTTON, icon=":material/folder_open:", key="open-own"):
        try:
            state.accept(declared.own(given))
        except Mistake as mistake:
            st.error(text.plain(str(mistake)), icon=":material/error:")
        else:
            state.renew("table-form")
            st.rerun()


def show(table: declared.Declared) -> None:
    """What was declared: columns with provenance, rules with what each takes away."""
    schema = table.schema
    if schema.description:
        st.markdown(text.plain(schema.description))
    st.markdown(f":material/shield_person: {text.unit_of(schema)}")
    st.header(text.COLUMNS_TITLE, anchor=False)
    st.caption(text.COLUMNS_NOTE)
    st.table(declared.column_table(table), hide_index=True, border="horizontal", alt=alts.columns(schema))
    dropped = [c.name for c in schema.columns if c not in schema.modelled]
    if dropped:
        st.caption(text.RULES_DROPPED.format(names=text.plain(", ".join(dropped))))
    st.header(text.RULES_TITLE, anchor=False)
    st.caption(text.RULES_NOTE)
    if table.effects:
        st.table(
            declared.rule_table(table),
            hide_index=True,
            border="horizontal",
            alt=alts.rules(table.effects),
        )
    else:
        st.info(text.RULES_NONE, icon=":material/info:")


project = state.current()
layout.header(text.DATA_TITLE, text.DATA_LEAD)
if project is None or not project.data:
    choose()
else:
    opened = declared.read(project)
    layout.summary(project, opened.schema)
    show(opened)
    with st.container(horizontal=True):
        if st.button(text.NEXT_RUN, type="primary", icon=":material/arrow_forward:", key="next-run"):
            st.switch_page("pages/run.py", query_params={"p": project.id})
        st.button(text.CLOSE_BUTTON, on_click=state.leave, key="close")
