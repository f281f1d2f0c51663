"""Words of the decision log. They are printed in the report of every later release."""

from __future__ import annotations

from textwrap import shorten

SCHEMA = "schema"
COLUMN = "column {name}:"
RULE = "rule {rule!r}"
STATED = "stated"
UNREADABLE = (
    "The decision log of this project cannot be read, so nothing of it can be released. Ask whoever runs "
    "this app to restore decisions.jsonl in its folder."
)
FROZEN = (
    "A run was started with these choices, so they can only be read. To change them, prepare another run: it "
    "begins with a copy."
)
EMPTY = "Write the choice down in a sentence first."

LONGEST, MOST = 60, 8
"""Characters of a value, and changes, that one entry spells out."""


def change(name: str, before: str | None, after: str | None) -> str:
    """One declared thing that is not what it was; None where it was not declared.

    >>> change("budget epsilon", "1.0", "2.0"), change("rule 'a'", "stated", None)
    ('budget epsilon from 1.0 to 2.0', "rule 'a' taken out")
    """
    if before is None:
        return f"{name} added" if after == STATED else f"{name} set to {_short(after or '')}"
    if after is None:
        return f"{name} taken out"
    return f"{name} from {_short(before)} to {_short(after)}"


def begun(run: str, changed: tuple[str, ...]) -> str:
    """That a run was started after a look, and with which changes.

    >>> begun("r1", ())
    'Run r1 was started after looking, with nothing changed.'
    """
    if not changed:
        return f"Run {run} was started after looking, with nothing changed."
    more = len(changed) - MOST
    rest = f"; and {more} more" if more > 0 else ""
    return f"Run {run} was started after looking, with these changes: {'; '.join(changed[:MOST])}{rest}."


def published(run: str, finished: int) -> str:
    """That the decision to publish came after a look."""
    of = "the only one finished" if finished == 1 else f"one of {finished} finished"
    return f"The table of run {run}, {of}, was chosen for publication after looking."


def _short(value: str) -> str:
    return shorten(value, LONGEST, placeholder=" ...") if value.strip() else "nothing"
