"""Words of the login."""

from __future__ import annotations

from collections.abc import Sequence

from synth.app.ui import text

TITLE = "Marginalia"
LEAD = "This installation asks who you are before it shows anything."
BUTTON = "Log in"
LEAVE = "Log out"
STALE = "You logged in too long ago. Log out and in again to go on; nothing is lost."
NO_ROLE = "You are logged in, but nobody has given you a role here. Ask whoever runs this app."
NOT_SET_UP = (
    "This installation must have a login and has none yet. Whoever runs it has to add the section auth to "
    "its secrets file."
)
NOT_YOURS = "This page is not open to your role."
READ_ONLY = "Your role lets you look at this project, not change it."
WHOEVER_RUNS = "whoever runs this app"
ASK_A_STEWARD = "Ask a steward for the address of a project. It opens here, for you to read."


def here(name: str, roles: Sequence[str]) -> str:
    """Who is logged in, in the sidebar."""
    return f"{text.plain(name)} · {', '.join(roles)}"
