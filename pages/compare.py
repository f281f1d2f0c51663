"""Compare finished runs using only figures that may be published."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from synth.app.project.results import compare
from synth.app.project.runs import SyntheticTable, tables
from synth.app.project.store import Project
from synth.app.ui import layout, state
from synth.app.ui.compare import panels as compare_panels
from synth.app.ui.text import compare as text


def show(project: Project, runs: Sequence[SyntheticTable]) -> None:
    """Draw the table of runs, error against epsilon and time, columns, pairs, and the map."""
    chosen = compare_panels.choose(runs)
    if len(chosen) < 2:
        st.info("Choose at least two runs.", icon=":material/info:")
        return
    standings = compare.standings(chosen)
    compare_panels.table(standings)
    compare_panels.tradeoff(runs, chosen)
    st.header("Columns that differ", anchor=False)
    compare_panels.apart(standings)
    st.header("One column", anchor="columns")
    compare_panels.column(standings)
    compare_panels.pair(standings)
    compare_panels.drift(project, runs)
    st.header("Map of synthetic rows", anchor=False)
    compare_panels.atlas(project, runs, chosen)


project = layout.enter("compare", lead=text.LEAD)
if project is not None:
    layout.summary(project)
    runs = tables(project)
    if not runs:
        layout.locked(text.NO_TABLE, "pages/run.py", "Go to Run")
    elif len(runs) == 1:
        layout.locked(text.ONE_TABLE, "pages/results.py", "Go to Results")
        compare_panels.drift(project, runs)
    else:
        show(state.tick(project, "compare"), runs)
