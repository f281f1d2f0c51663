"""The frame around every page: title, summary line, privacy chip, and a chart with its table underneath."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from synth.schema import Schema
from synth.ui import guards, state, text
from synth.ui.project import Project

ROOT = Path(__file__).resolve().parents[2]
PLOT = {"displayModeBar": False, "responsive": True}


def header(title: str, lead: str) -> None:
    """Title, what the page is for, and whatever the last page left to say."""
    guards.require()
    st.title(title, anchor=False)
    st.markdown(lead)
    said = state.notice()
    if said:
        st.warning(text.plain(said), icon=":material/info:")


def summary(project: Project, schema: Schema) -> None:
    """The earlier choices in a line, and whether private data has been read."""
    chip = text.READ_RUN if project.runs else text.READ_NONE
    with st.container(horizontal=True, vertical_alignment="center", key="summary"):
        st.markdown(text.summary(project, schema), width="stretch")
        st.markdown(chip, width="content")


def locked(why: str, page: str, label: str) -> None:
    """An empty page that says what is missing and leads there."""
    with st.container(border=True):
        st.markdown(f":material/lock: {why}")
        st.page_link(page, label=label, icon=":material/arrow_forward:")


def chart(figure: go.Figure, *, alt: str, table: pd.DataFrame, key: str) -> None:
    """A figure, what it shows in words, and the same numbers as a table."""
    st.plotly_chart(figure, config=PLOT, key=key, alt=alt)
    with st.expander(text.TABLE_BELOW, icon=":material/table:"):
        st.dataframe(table, hide_index=True, alt=alt, key=f"{key}-table")
