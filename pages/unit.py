"""Ask who is protected, and judge whether differential privacy suits this table."""

from __future__ import annotations

import streamlit as st

from synth.app.project.describe import suitability
from synth.app.project.describe.suitability import UnitAnswers
from synth.app.project.store import Project
from synth.app.ui import layout, state
from synth.app.ui.text import unit as text
from synth.app.ui.unit import panels as unit_panels


def ask(project: Project) -> tuple[Project, UnitAnswers, bool]:
    """Ask the three groups of questions, and show whether the answers fit the lifetime budget."""
    frozen = bool(project.runs)
    if frozen:
        st.info(text.LOCKED_NOTE, icon=":material/lock:")
    given = unit_panels.fit(UnitAnswers.of(project), frozen=frozen)
    given = unit_panels.unit(given, frozen=frozen)
    given = unit_panels.population(given, project, frozen=frozen)
    fits = unit_panels.line(given, project)
    if not frozen:
        project = state.accept(suitability.written(project, given))
    return project, given, fits


project = layout.enter("unit", lead="Check that this tool suits your table, and choose who is protected.")
if project is not None:
    layout.summary(project)
    project, given, fits = ask(project)
    judgement = suitability.judge(given)
    unit_panels.verdict(given, judgement)
    clear = judgement.is_clear and fits
    layout.onward(project, "unit", disabled=not clear, why=None if clear else text.NOT_CLEAR)
