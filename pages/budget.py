"""How much privacy to spend on this table, and on what; nothing is spent here."""

from __future__ import annotations

import streamlit as st

from synth.ui import budget, declared, desk, layout, running, state
from synth.ui.declared import Declared
from synth.ui.project import Project
from synth.ui.text import budget as text


def choose(project: Project, table: Declared) -> None:
    """The promise, what it is spent on, which columns matter; kept as it is chosen."""
    place = st.container()
    project = budget.promise(project, opened=desk.line_of(project).limit is not None)
    project = budget.sharing(project, table.schema)
    project = budget.columns(project, table)
    budget.backwards(project, table)
    project = state.accept(project)
    covered = budget.line(project)
    ready = covered and budget.is_settled(project, table.schema)
    layout.onward(project, "budget", disabled=not ready, why=None if ready else text.NOT_READY)
    with place:
        layout.summary(project, table.schema)


project = layout.enter("budget", lead=text.LEAD)
if project is not None:
    table = declared.read(project)
    if declared.is_frozen(project):
        layout.summary(project, table.schema)
        running.frozen(project, table)
    else:
        choose(project, table)
