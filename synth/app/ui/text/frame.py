"""Texts around the pages: the steps, the login, and two windows on one project."""

from __future__ import annotations

from collections.abc import Sequence

from synth.app.project.merging import Clash, OtherWindow
from synth.app.ui import text

MARKS = {"done": "done", "open": "", "locked": "locked"}
MISSING = {
    "project": "There is no project open yet. Open the demo or start a project of your own first.",
    "unit": "It is not settled yet who is protected. Every price and every promise depends on that.",
    "schema": "The columns are not declared yet. What they can hold must be known before a file is read.",
    "file": "No file has been chosen yet. It stays unread until the run starts.",
    "budget": "The budget is not confirmed yet. Nothing can be spent before you have seen what it means.",
    "run": "No run has finished yet, so there is nothing to see here.",
}
LEAD_THERE = "Go to {title}"
NEXT = "Next: {title}"

CHANGED_ELSEWHERE = (
    "Another window changed this project. Both changes are kept, except where both changed the same field."
)
STARTED_ELSEWHERE = "Another window started a run of this project. Its settings can only be read now."
CHANGED_BEFORE_START = (
    "Another window changed this project. Nothing was started. Review the summary again, then confirm."
)
NOT_KEPT = "Entered here and not saved: {}."
CATCH_UP = "Reload the page"


def changed(other: OtherWindow) -> tuple[str, ...]:
    """What became of a change that was given here while another window was at work, a paragraph each."""
    if other.is_started:
        return (STARTED_ELSEWHERE, *map(NOT_KEPT.format, other.not_kept))
    return (CHANGED_ELSEWHERE, *map(clash, other.clashes))


def clash(both: Clash) -> str:
    """What became of a field that both windows changed.

    >>> clash(Clash(field="epsilon", saved="0.5", here="2"))
    'Both changed epsilon: 0.5 is saved, 2 was given here. Give it again if it should be so.'
    """
    return (
        f"Both changed {both.field}: {both.saved} is saved, {both.here} was given here. Give it again if "
        "it should be so."
    )


TITLE = "Marginalia"
LEAD = "This installation requires a login."
BUTTON = "Log in"
LEAVE = "Log out"
STALE = "Your login has expired. Log out and in again; nothing is lost."
NO_ROLE = "You are logged in but have no role. Ask your administrator."
NOT_SET_UP = (
    "A login is required but not configured. Ask your administrator to add the section auth to the "
    "secrets file."
)
NOT_YOURS = "Your role cannot open this page."
READ_ONLY = "Your role can view this project but not change it."
WHOEVER_RUNS = "your administrator"
ASK_A_STEWARD = "Ask a steward for the address of a project. You can view it here."


def here(name: str, roles: Sequence[str]) -> str:
    """Who is logged in, in the sidebar."""
    return f"{text.plain(name)} · {', '.join(roles)}"
