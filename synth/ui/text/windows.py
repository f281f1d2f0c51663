"""Words for two windows on one project."""

from __future__ import annotations

from synth.project.merging import Clash

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
FROZEN = (
    "A run was started with these choices, so they can only be read. To change them, prepare another run: it "
    "begins with a copy."
)
CATCH_UP = "Show the page as it is now"


def clash(both: Clash) -> str:
    """What became of a field that both windows changed.

    >>> clash(Clash(field="budget epsilon", saved="0.5", here="2.0"))
    'Both changed budget epsilon: 0.5 is saved, 2.0 was given here. Give it again if it should be so.'
    """
    return (
        f"Both changed {both.field}: {both.saved} is saved, {both.here} was given here. Give it again if "
        "it should be so."
    )
