"""Words of the decision log. They are printed in the report of every later release."""

from __future__ import annotations

from itertools import takewhile

SCHEMA = "schema"
COLUMN = "column {name}:"
RULE = "rule {rule!r}"
STATED, NOTHING = "stated", "nothing"
UNREADABLE = (
    "The decision log of this project cannot be read, so nothing of it can be released. Ask whoever runs "
    "this app to restore decisions.jsonl in its folder."
)
FROZEN = (
    "A run was started with these choices, so they can only be read. To change them, prepare another run: it "
    "begins with a copy."
)
EMPTY = "Write the choice down in a sentence first."

LONGEST = 60
"""Characters above which a list that was changed is told without what stayed the same at its ends."""


def change(name: str, before: str | None, after: str | None) -> str:
    """One declared thing that is not what it was; None where it was not declared.

    >>> change("budget epsilon", "1.0", "2.0"), change("rule 'a'", "stated", None)
    ('budget epsilon from 1.0 to 2.0', "rule 'a' taken out")
    """
    if before is None:
        return f"{name} added" if after == STATED else f"{name} set to {_flat(after or '')}"
    if after is None:
        return f"{name} taken out"
    if max(len(before), len(after)) > LONGEST:
        before, after = _apart(before.split(", "), after.split(", "))
    return f"{name} from {_flat(before)} to {_flat(after)}"


def _apart(before: list[str], after: list[str]) -> tuple[str, str]:
    """Two lists without what they have in common at their ends.

    >>> _apart(["a", "b", "c", "d"], ["a", "x", "y", "d"])
    ('..., b, c, ...', '..., x, y, ...')
    """
    first = _shared(before, after)
    last = _shared(before[first:][::-1], after[first:][::-1])

    def told(words: list[str]) -> str:
        kept = words[first : len(words) - last]
        return ", ".join(["..."] * (first > 0) + kept + ["..."] * (last > 0))

    return told(before), told(after)


def begun(run: str, changed: tuple[str, ...]) -> str:
    """That a run was started after a look, and with which changes.

    >>> begun("r1", ())
    'Run r1 was started after looking, with nothing changed.'
    """
    if not changed:
        return f"Run {run} was started after looking, with nothing changed."
    return f"Run {run} was started after looking, with these changes: {'; '.join(changed)}."


def published(run: str, finished: int) -> str:
    """That the decision to publish came after a look."""
    of = "the only one finished" if finished == 1 else f"one of {finished} finished"
    return f"The table of run {run}, {of}, was chosen for publication after looking."


def _shared(one: list[str], other: list[str]) -> int:
    """How many words two lists begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _flat(value: str) -> str:
    return " ".join(value.split()) or NOTHING
