"""Texts around the pages: steps, login, and messages about changes in another window."""

from __future__ import annotations

from collections.abc import Sequence

from synth.app.project.merging import Clash, OtherWindow
from synth.app.ui import text

DONE = "done"
MISSING = {
    "project": "No project is open. Open the demo or start a project.",
    "unit": "First choose who is protected. The guarantee and every privacy cost depend on it.",
    "schema": "Define the columns first. The app needs their domains before it reads a file.",
    "file": "Choose a file first. It stays unread until the run starts.",
    "budget": "Confirm the budget first.",
    "run": "No run has finished yet.",
}


def later(steps: int) -> str:
    """State how many steps are locked.

    >>> later(1), later(3)
    ('1 more step opens as you continue.', '3 more steps open as you continue.')
    """
    return f"{steps} more {'step opens' if steps == 1 else 'steps open'} as you continue."


CHANGED_ELSEWHERE = (
    "Another window changed this project. Both changes are kept, except where both changed the same field."
)
STARTED_ELSEWHERE = "Another window started a run of this project. Its settings are now read-only."
CHANGED_BEFORE_START = (
    "Another window changed this project. Nothing was started. Review the summary again, then confirm."
)
NOT_KEPT = "Not saved from this window: {}."
CATCH_UP = "Reload the page"


def changed(other: OtherWindow) -> tuple[str, ...]:
    """State what happened to changes made while another window changed the project, in a paragraph each."""
    if other.is_started:
        return (STARTED_ELSEWHERE, *map(NOT_KEPT.format, other.not_kept))
    return (CHANGED_ELSEWHERE, *map(clash, other.clashes))


def clash(both: Clash) -> str:
    """State what happened to a field that both windows changed.

    >>> clash(Clash(field="epsilon", saved="0.5", here="2"))
    'Both windows changed epsilon: 0.5 is saved, 2 was entered here. Enter it again to change it.'
    """
    return (
        f"Both windows changed {both.field}: {both.saved} is saved, {both.here} was entered here. "
        "Enter it again to change it."
    )


LEAVE = "Log out"
STALE = "Your login has expired. Log out and in again; nothing is lost."
NO_ROLE = "You are logged in but have no role. Ask your administrator."
NOT_SET_UP = (
    "A login is required but not configured. Ask your administrator to add the section auth to the "
    "secrets file."
)
NOT_YOURS = "Your role cannot open this page."
READ_ONLY = "Your role can view this project but not change it."


def here(name: str, roles: Sequence[str]) -> str:
    """State who is logged in, for the sidebar."""
    return f"{text.plain(name)} · {', '.join(roles)}"
