"""Words for two windows on one project."""

from __future__ import annotations

from synth.app.project.merging import Clash, OtherWindow

CHANGED_ELSEWHERE = (
    "Another window has changed this project since this page was drawn. Both windows' changes are kept, "
    "except where both changed the same thing."
)
STARTED_ELSEWHERE = (
    "Another window has started a run of this project meanwhile, with the choices that were saved then. They "
    "can only be read now."
)
CHANGED_BEFORE_START = (
    "Another window has changed this project since this page was drawn. Nothing was started: read the sheet "
    "again, then confirm it."
)
NOT_KEPT = "Given here and not kept: {}."
CATCH_UP = "Show the page as it is now"


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
