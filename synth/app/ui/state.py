"""Manage the session and its open project.

No other module uses `st.session_state`. A reload starts a new session in Streamlit, and the random ID in the
address restores the project from disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import streamlit as st

from synth.app.figures.words import plain
from synth.app.project import journey, merging, starting
from synth.app.project import store as projects
from synth.app.project.spend import ledger
from synth.app.project.store import Project
from synth.app.ui import login
from synth.app.ui.text import frame as login_words
from synth.app.ui.text import frame as words
from synth.core.errors import Mistake

_HAND = "hand"
_ADDRESS = "p"
_NOTICE = "notice"
_PAGE = "page"


@dataclass
class _Hand:
    """The project of a session, and messages about changes in another window.

    Once a rerun is requested, for example because the user types fast, Streamlit can stop the current run at
    any access to `st.session_state`. This object is changed without such an access, so a session always knows
    what it has saved.
    """

    project: Project | None = None
    overtaken: tuple[str, ...] = ()


def _hand() -> _Hand:
    return cast(_Hand, st.session_state.setdefault(_HAND, _Hand()))


def current() -> Project | None:
    """Return the project of this session, or the one in the address, and keep the address up to date."""
    hand, named = _hand(), st.query_params.get(_ADDRESS)
    if named and (hand.project is None or hand.project.id != named):
        try:
            hand.project = _admitted(projects.load(named))
        except Mistake as mistake:
            note(str(mistake), careful=True)
    held = hand.project
    if held is None:
        st.query_params.pop(_ADDRESS, None)
    elif named != held.id:
        st.query_params[_ADDRESS] = held.id
    return held


def accept(project: Project) -> Project:
    """Save a change on disk, and then in the session.

    Changes that another window saved in the meantime are kept: fields that only one of the two windows
    changed are merged. The page is then redrawn (`overtaken`), because its fields show older values. Raises:
    `Mistake` if someone else owns the project, or if `merging.save` refuses the change.
    """
    hand = _hand()
    if project == hand.project:
        return project
    if not login.current().owns(project):
        raise Mistake(login_words.READ_ONLY)
    kept, other = merging.save(project, before=hand.project)
    hand.project = kept
    if other is not None:
        hand.overtaken = words.changed(other)
    st.query_params[_ADDRESS] = kept.id
    if other is not None:
        _draw_anew(hand.overtaken)
    return kept


def _draw_anew(sentences: tuple[str, ...]) -> None:
    """Show what another window changed, and draw nothing else until the steward continues."""
    note(*map(plain, sentences), careful=True)
    st.rerun()
    raise Mistake(" ".join(sentences))  # in a callback, where a rerun follows by itself


def overtaken() -> tuple[str, ...]:
    """Return what another window has changed in this project since the page was drawn, or an empty tuple.

    Fields keep their values as long as they are drawn, even if those values are outdated. So such a page is
    not drawn in one run. In the next run, all its fields start with the saved values.
    """
    return _hand().overtaken


def catch_up() -> None:
    """Draw the page again (a callback)."""
    _hand().overtaken = ()


def arrive(page: str) -> Project | None:
    """Return the saved project when the user opens another page, before any field is drawn."""
    held = current()
    if held is not None and st.session_state.get(_PAGE) != page:
        held = projects.find(held.id) or held
        _hand().project = held
    st.session_state[_PAGE] = page
    return held


def check_fresh(project: Project) -> None:
    """Check that no other window has changed the project since the page was drawn, so that no run starts from
    outdated settings. Raises: `Mistake`.
    """
    hand, newer = _hand(), merging.newer(project)
    if newer is not None:
        hand.project, other = newer
        hand.overtaken = (words.STARTED_ELSEWHERE if other.is_started else words.CHANGED_BEFORE_START,)
        _draw_anew(hand.overtaken)


def tick(project: Project, step: str) -> Project:
    """Mark a step as done because its page was opened. A viewer changes nothing."""
    return accept(journey.settle(project, step)) if login.current().owns(project) else project


def draft(project: Project) -> Project:
    """Prepare another run of the same table. Once its people have a release, they no longer count as new."""
    project = starting.without_people(project) if ledger.not_new(project) else project
    return accept(replace(project, drafting=True))


def _admitted(project: Project) -> Project:
    """Return the project if the current user may see it, otherwise None."""
    if not login.current().may_see(project):
        raise Mistake(projects.NOT_HERE)
    return project


def open_project(identity: str) -> Project:
    """Load a project of this installation into the session. Raises: `Mistake` if it does not exist."""
    project = _admitted(projects.load(identity))
    _hand().project = project
    st.query_params[_ADDRESS] = project.id
    return project


def leave() -> None:
    """Close the project in this session. Its folder is kept."""
    _hand().project = None
    st.query_params.pop(_ADDRESS, None)


def notice() -> tuple[str, bool] | None:
    """Return the messages for the next page and whether one is a warning, and then forget them."""
    left: tuple[str, bool] | None = st.session_state.pop(_NOTICE, None)
    return left


def note(*sentences: str, careful: bool = False) -> None:
    """Store Markdown sentences for the next page, each as a paragraph. `careful` marks them as a warning."""
    st.session_state[_NOTICE] = ("\n\n".join(sentences), careful)


def mirror(source: str, target: str, convert: Callable[[Any], Any]) -> None:
    """Copy the value of one widget to another (a callback of two linked widgets)."""
    st.session_state[target] = convert(st.session_state[source])


def kept(key: str) -> Any:
    """Return the session's value for a key, which may be the key of a widget, or None if there is none."""
    return st.session_state.get(key)


def put(values: Mapping[str, Any]) -> None:
    """Set several keys at once. In a callback, these may be keys of widgets."""
    for key, value in values.items():
        st.session_state[key] = value


def counted(key: str, least: int) -> int:
    """Return the number of entries that a form shows, which is `least` until `count` changes it."""
    return max(int(st.session_state.get(key, least)), least)


def count(key: str, number: int) -> None:
    """Set the number of entries that a form shows (a callback)."""
    st.session_state[key] = number


def start_value(key: str, value: Any) -> None:
    """Set the initial value of a widget, unless the steward has already changed it."""
    if key not in st.session_state:
        st.session_state[key] = value


def follow(key: str, value: Any, *, of: Any) -> None:
    """Set the initial value of a widget, and set it again whenever the widget's subject changes."""
    if key not in st.session_state or st.session_state.get(f"{key}-of") != of:
        st.session_state[key], st.session_state[f"{key}-of"] = value, of


def generation(key: str) -> str:
    """Return a widget key that `renew` can change to empty the widget. Otherwise, file widgets keep their
    content.
    """
    return f"{key}-{st.session_state.get(f'{key}-generation', 0)}"


def renew(key: str) -> None:
    """Empty the widget with the key `generation(key)`."""
    name = f"{key}-generation"
    st.session_state[name] = st.session_state.get(name, 0) + 1
