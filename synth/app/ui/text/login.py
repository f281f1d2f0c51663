"""Words of the login."""

from __future__ import annotations

from collections.abc import Sequence

from synth.app.ui import text

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
