"""Choose the privacy budget of this table and how to split it. Nothing is spent here."""

from __future__ import annotations

import streamlit as st

from synth.app.project import declared
from synth.app.project.declared import Declared
from synth.app.project.spend import ledger
from synth.app.project.spend.allocation import is_settled
from synth.app.project.store import Project
from synth.app.ui import layout, state
from synth.app.ui.budget import panels as budget_panels
from synth.app.ui.budget.promise import promise
from synth.app.ui.run import panels as run_panels
from synth.app.ui.text import budget as text


def choose(project: Project, table: Declared) -> None:
    """Draw the fields for epsilon, the expected error, and an expander with the other choices."""
    head = st.container()
    project, beside = promise(project, table.schema, opened=ledger.line_of(project).limit is not None)
    expected = st.container()
    with st.expander("Advanced: split, priorities, target error, lifetime budget", icon=":material/tune:"):
        project, measurable = budget_panels.means(project, table)
        project = budget_panels.sharing(project, table.schema)
        project = budget_panels.columns(project, table.schema)
        budget_panels.backwards(project, table)
        books = st.container()
    project = state.accept(project)
    with expected:
        budget_panels.expected(project, table)
        covered = budget_panels.line(project, beside, books)
    ready = covered and measurable and is_settled(project.budget, table.schema, limit=project.limits.release)
    layout.onward(project, "budget", disabled=not ready, why=None if ready else text.NOT_READY)
    with head:
        layout.summary(project, table.schema)


project = layout.enter("budget", lead=text.LEAD)
if project is not None:
    table = declared.read(project)
    if declared.is_frozen(project):
        layout.summary(project, table.schema)
        run_panels.frozen(project, table)
    else:
        choose(project, table)
