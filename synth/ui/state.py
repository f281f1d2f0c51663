"""The session: one typed project, its place on disk, and the only lines that touch `st.session_state`.

A reload gives Streamlit a new session; the opaque id in the address brings the project back from disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from synth.errors import Mistake
from synth.ui import decisions, login
from synth.ui import project as projects
from synth.ui.project import Project
from synth.ui.text import login as door
from synth.ui.text.decisions import FROZEN, STARTED_ELSEWHERE

_PROJECT = "project"
_ADDRESS = "p"
_NOTICE = "notice"


def current() -> Project | None:
    """The project of this session, or the one the address names; the address is kept up to date."""
    held: Project | None = st.session_state.get(_PROJECT)
    named = st.query_params.get(_ADDRESS)
    if named and (held is None or held.id != named):
        try:
            held = _admitted(projects.load(named))
        except Mistake as mistake:
            st.session_state[_NOTICE] = str(mistake)
        st.session_state[_PROJECT] = held
    if held is None:
        st.query_params.pop(_ADDRESS, None)
    elif named != held.id:
        st.query_params[_ADDRESS] = held.id
    return held


def accept(project: Project) -> Project:
    """Make a change the truth: on disk first, then in the session."""
    if project != st.session_state.get(_PROJECT):
        if not login.current().owns(project):
            raise Mistake(door.READ_ONLY)
        _check_frozen(st.session_state.get(_PROJECT), project)
        check_fresh(project)
        projects.save(project)
        st.session_state[_PROJECT] = project
        st.query_params[_ADDRESS] = project.id
    return project


def _check_frozen(held: Project | None, project: Project) -> None:
    """A run keeps the choices it was started with, until a draft of another one is begun."""
    if held is None or held.id != project.id or held.drafting or project.drafting:
        return
    if (held.data, decisions.inputs_of(held)) != (project.data, decisions.inputs_of(project)):
        raise Mistake(FROZEN)


def check_fresh(project: Project) -> None:
    """No window may forget a run that another one has started: its answers are paid for."""
    try:
        there = projects.load(project.id)
    except Mistake:
        return  # a new project
    if set(there.runs) <= set(project.runs):
        return
    st.session_state[_PROJECT] = there
    st.session_state[_NOTICE] = STARTED_ELSEWHERE
    st.rerun()
    raise Mistake(STARTED_ELSEWHERE)  # in a callback, where a rerun follows by itself


def seen(project: Project, step: str) -> Project:
    """Tick a step off because its page was opened; for somebody who only looks, nothing changes."""
    if step in project.settled or not login.current().owns(project):
        return project
    return accept(replace(project, settled=(*project.settled, step)))


def draft(project: Project) -> Project:
    """Begin to prepare another run of the same table."""
    return accept(replace(project, drafting=True))


def _admitted(project: Project) -> Project:
    """The project, if whoever is here may see it; for all others it is not there."""
    if not login.current().may_see(project):
        raise Mistake(projects.NOT_HERE)
    return project


def open_project(identity: str) -> Project:
    """Bring a project of this home into the session. Raises: `Mistake` if it is not there."""
    project = _admitted(projects.load(identity))
    st.session_state[_PROJECT] = project
    st.query_params[_ADDRESS] = project.id
    return project


def leave() -> None:
    """Forget the project in this session; its folder stays."""
    st.session_state.pop(_PROJECT, None)
    st.query_params.pop(_ADDRESS, None)


def notice() -> str | None:
    """A sentence left behind for the next page, once."""
    said: str | None = st.session_state.pop(_NOTICE, None)
    return said


def note(*sentences: str) -> None:
    """Leave sentences behind for the next page drawn to say, each a paragraph of its own."""
    st.session_state[_NOTICE] = "\n\n".join(sentences)


def mirror(source: str, target: str, convert: Callable[[Any], Any]) -> None:
    """Callback of twin widgets: write what one says into the other."""
    st.session_state[target] = convert(st.session_state[source])


def put(values: Mapping[str, Any]) -> None:
    """Callback: move several widgets at once."""
    for key, value in values.items():
        st.session_state[key] = value


def counted(key: str, least: int) -> int:
    """How many of something a form shows, `least` until `count` has said otherwise."""
    return max(int(st.session_state.get(key, least)), least)


def count(key: str, number: int) -> None:
    """Callback: show so many from now on."""
    st.session_state[key] = number


def start_value(key: str, value: Any) -> None:
    """Give a keyed widget its first value, unless the steward has already moved it."""
    if key not in st.session_state:
        st.session_state[key] = value


def generation(key: str) -> str:
    """A widget key that `renew` can change, which empties the widget: file boxes keep bytes otherwise."""
    return f"{key}-{st.session_state.get(f'{key}-generation', 0)}"


def renew(key: str) -> None:
    """Empty the widget drawn under `generation(key)`."""
    name = f"{key}-generation"
    st.session_state[name] = st.session_state.get(name, 0) + 1
