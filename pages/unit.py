"""Who is protected, and whether differential privacy is the right tool for this table."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from synth.ui import layout, state, suitability, unit
from synth.ui.project import Project
from synth.ui.suitability import Answers
from synth.ui.text import unit as text


def ask(project: Project) -> tuple[Project, suitability.Verdict]:
    """The three groups of questions, from top to bottom."""
    frozen = bool(project.runs)
    if frozen:
        st.info(text.LOCKED_NOTE, icon=":material/lock:")
    given = Answers.of(project)
    given = replace(given, suitability=unit.fit(given.suitability, frozen=frozen))
    given = unit.unit(given, frozen=frozen)
    given = unit.population(given, project, frozen=frozen)
    if not frozen:
        project = state.accept(suitability.written(project, given))
    return project, suitability.judge(given)


project = layout.enter("unit", lead=text.LEAD)
if project is not None:
    layout.summary(project)
    project, found = ask(project)
    unit.verdict(found)
    layout.onward(project, "unit", disabled=not found.is_clear, why=None if found.is_clear else text.WAITING)
