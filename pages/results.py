"""The release, as anyone may see it: read from the bundle, never from the private table."""

from __future__ import annotations

import streamlit as st

from synth.ui import desk, layout, panels, released, state, text


def show(release: released.Released) -> None:
    """Flags, one column at a time, residuals, pair bounds, and the bundle itself."""
    panels.verdict(release)
    panels.download(release)
    st.header(text.COLUMN_TITLE, anchor=False)
    panels.column(release)
    st.header(text.BOUNDS_TITLE, anchor=False)
    panels.bounds(release)
    st.header(text.RESIDUAL_TITLE, anchor=False)
    panels.residuals(release)


project = state.current()
layout.header(text.RESULTS_TITLE, text.RESULTS_LEAD)
if project is None:
    layout.locked(text.NO_PROJECT, "pages/project.py", text.DATA_TITLE)
elif not project.runs:
    layout.locked(text.NO_RUN, "pages/run.py", text.RUN_TITLE)
else:
    bundle = desk.bundle(project)
    if bundle is None:
        layout.locked(text.RUN_UNFINISHED, "pages/run.py", text.RUN_TITLE)
    else:
        show(released.read(bundle))
