"""Compare a release with the private table. The page shows a notice first, logs each view, and offers no
file.
"""

from __future__ import annotations

import streamlit as st

from synth.app.jobs.store import State
from synth.app.project.results import steward
from synth.app.project.results.bundles import evidence_of
from synth.app.project.runs import SyntheticTable, tables
from synth.app.project.store import Project
from synth.app.ui import layout, waiting
from synth.app.ui.steward import panels as steward_panels
from synth.app.ui.text import steward as text


def evaluation(project: Project, runs: tuple[SyntheticTable, ...]) -> None:
    """Draw the form, the progress, and the findings."""
    schema = evidence_of(runs[-1].folder).codebook.schema
    st.warning(text.MARK, icon=":material/visibility_lock:")
    place = steward.study_of(project)
    steward.record_failure(project)
    state = waiting.watch(place, stages=text.STAGES, key="steward-study", stop="stop-steward-study")
    if state is None or (state.is_end and state is not State.DONE):
        st.header("Compare with the real table", anchor=False)
        steward_panels.order(project, schema, runs)
    revealed = steward.reveal(project, runs) if state is State.DONE else None
    if revealed is not None:
        with st.expander("Compare again", icon=":material/refresh:"):
            steward_panels.order(project, schema, runs)
        steward_panels.comparison(project, schema, runs, revealed)


project = layout.enter("steward", lead=text.LEAD)
if project is not None:
    head = st.container()
    if steward.is_open(project):
        with st.container(key="steward-room"):
            evaluation(project, tables(project))
    else:
        steward_panels.gate(project)
    with head:  # last, so that the chip shows this access
        layout.summary(project)
