"""Words for two windows on one project."""

from __future__ import annotations

from synth.app.project.merging import Clash, OtherWindow

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
