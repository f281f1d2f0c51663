"""Define the columns: load a dictionary, type them, or estimate their domains."""

from __future__ import annotations

import streamlit as st

from synth.app.project import declared
from synth.app.project.store import Project
from synth.app.ui import layout, state
from synth.app.ui.schema import checks, editor, grid, ways
from synth.app.ui.schema import file as file_panels
from synth.app.ui.schema import fit as fit_panel
from synth.app.ui.text import schema
from synth.app.ui.text.schema import grid as grid_words


def declare(project: Project) -> None:
    """Draw the file, the sources of columns, the grid with its panel, and the checks."""
    project = grid.take(project)  # before any other box of the page is read
    file_panels.file(project)
    project = state.current() or project
    ways.ways(project)
    file_panels.names(project)
    st.header(grid_words.GRID_TITLE, anchor=False)
    with st.popover("How to write a domain", icon=":material/help:", type="tertiary"):
        st.markdown(grid_words.syntax())
    project, unsaved = editor.editor(project)
    sound = checks.checks(project)
    fit_panel.fit(project, ready=sound and bool(project.data))
    why = schema.NEXT_UNSAVED if unsaved else None if sound else "Complete the columns that the checks list."
    layout.onward(project, "schema", disabled=why is not None, why=why)


project = layout.enter("schema", lead=schema.LEAD)
if project is not None:
    head = st.container()
    if declared.is_frozen(project):
        checks.frozen(project)
    else:
        declare(project)
    with head:  # last, so that it knows of a comparison shown just now
        layout.summary(project)
