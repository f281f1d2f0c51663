"""Who is protected, and whether differential privacy is the right tool for this table."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from synth.ui import layout, state, suitability, unit
from synth.ui.project import Project
from synth.ui.suitability import Answers
from synth.ui.text import unit as text


def ask(project: Project) -> tuple[Project, suitability.Verdict, bool]:
    """The three groups of questions, from top to bottom; last whether the budget line takes the answers."""
    frozen = bool(project.runs)
    if frozen:
        st.info(text.LOCKED_NOTE, icon=":material/lock:")
    given = Answers.of(project)
    given = replace(given, suitability=unit.fit(given.suitability, frozen=frozen))
    given = unit.unit(given, frozen=frozen)
    given = unit.population(given, project, frozen=frozen)
    fits = unit.line(given, project)
    if not frozen:
        project = state.accept(suitability.written(project, given))
    return project, suitability.judge(given), fits


project = layout.enter("unit", lead=text.LEAD)
if project is not None:
    layout.summary(project)
    project, found, fits = ask(project)
    unit.verdict(found)
    clear = found.is_clear and fits
    layout.onward(project, "unit", disabled=not clear, why=None if clear else text.WAITING)
