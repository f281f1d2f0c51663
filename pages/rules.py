"""List impossible combinations and target proportions."""

from __future__ import annotations

import streamlit as st

from synth.app.project import declared
from synth.app.project.describe import rules
from synth.app.project.store import Project
from synth.app.ui import layout
from synth.app.ui.rules import panels as rules_panels
from synth.app.ui.text import rules as text
from synth.core.schema import Schema
from synth.dictionaries import load_schema


def show(project: Project, schema: Schema) -> None:
    """Draw the rules, the menus that add one, and a check that all rules can hold together."""
    fixed = declared.is_frozen(project)
    if fixed:
        st.info(text.FROZEN, icon=":material/lock:")
    capacity = rules.capacity_of(project)
    joint = rules.together(schema, project.rules, capacity=capacity)
    if not fixed:  # above the list, so that it stays where it is while the list grows
        rules_panels.build(project, schema)
        rules_panels.bring(project, schema)
    rules_panels.listing(project, schema, fixed=fixed)
    if project.rules:
        rules_panels.together(joint, capacity)
    if not joint.mistake:
        rules_panels.sketch(project, schema)
    why = text.CONTRADICTION if joint.mistake else None
    layout.onward(project, "rules", disabled=bool(why), why=why)


project = layout.enter("rules", lead=text.LEAD)
if project is not None:
    layout.summary(project)
    show(project, load_schema(project.schema))
