"""The decision log: every look at exact numbers of the private table, and every choice made after one.

A choice made after such a look spends privacy that no ledger sees, so it is printed in the report instead.
The log is a file of its own beside the project (`decisions.jsonl`, 0600), added to and never rewritten:
neither a second tab nor an older copy of the project can drop an entry.

A look is written down when it happens, with the declarations as they stood. What was changed after it is
found when it takes effect, at the start of a run: the difference between then and now. Entries are public as
they stand; a sentence says what was looked at and what was chosen, never what was seen. The sentences are
part of the record, so they are made here.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import takewhile
from typing import Any

from synth.errors import Mistake
from synth.project import store
from synth.project.allocation import PARTS, word_of
from synth.project.store import Budget, Project

FILE = "decisions.jsonl"
FAILED_LOOK = "Saw why the exact comparison with the private table could not be made (steward view)."
LOOKED_AT_FIT = "The private file was compared with the declared columns, in coarse bands per column."
_UNREADABLE = (
    "The decision log of this project cannot be read, so nothing of it can be released. Ask whoever runs "
    "this app to restore decisions.jsonl in its folder."
)
_LONGEST = 60
"""Characters above which a list that was changed is told without what stayed the same at its ends."""

_WEIGHT = "budget weights "
_UNTOUCHED = {f"{_WEIGHT}{part}": word_of(Budget(), part) for part in PARTS}
"""The words of the budget's parts before anybody has chosen. The budget page writes them down when it is
opened, which is no choice; an entry made before that does not name them."""


class DecisionKind(StrEnum):
    """What an entry records."""

    LOOK = "look"
    CHOICE = "choice"


@dataclass(frozen=True, kw_only=True)
class Decision:
    """One line of the log. `at` is a UTC day; `inputs` are the declarations then, where they matter later."""

    at: str
    kind: DecisionKind
    sentence: str
    inputs: dict[str, str] | None = None

    @property
    def printed(self) -> str:
        """The line of the report."""
        return f"{self.at}: {self.sentence}"


def record_look(project: Project, sentence: str) -> None:
    """Write down that numbers of the steward's side were shown; once while nothing declared changes."""
    now = inputs_of(project)
    if not any(
        e.kind is DecisionKind.LOOK and (e.sentence, e.inputs) == (sentence, now) for e in log(project)
    ):
        _append(project, DecisionKind.LOOK, sentence, now)


def record_choice(project: Project, sentence: str) -> None:
    """Write down a choice in the steward's own words. Raises: `Mistake` for an empty one."""
    if not sentence.strip():
        raise Mistake("Write the choice down in a sentence first.")
    _append(project, DecisionKind.CHOICE, " ".join(sentence.split()), None)


def record_start(project: Project, run: str) -> None:
    """Write down what a run that starts now owes to earlier looks; nothing if there was none."""
    changed = changes_since(project)
    if changed is not None:
        what = f"these changes: {'; '.join(changed)}" if changed else "nothing changed"
        sentence = f"Run {run} was started after looking, with {what}."
        _append(project, DecisionKind.CHOICE, sentence, inputs_of(project))


def steward_look(names: Sequence[str]) -> str:
    """The line about a look into the steward's view.

    >>> steward_look(["Run 1", "Run 3"])
    'Saw the exact comparison of Run 1, Run 3 with the private table (steward view).'
    """
    return f"Saw the exact comparison of {', '.join(names)} with the private table (steward view)."


def further_table(number: int, generator: str, rows: int) -> str:
    """The line about another table of a run, if the private table had been looked at before."""
    return f"Made another table of run {number} by {generator}, {rows:,} rows, from the same noisy counts."


def publication(run: str, finished: int) -> str:
    """The line about a decision to publish that came after a look."""
    of = "the only one finished" if finished == 1 else f"one of {finished} finished"
    return f"The table of run {run}, {of}, was chosen for publication after looking."


def changes_since(project: Project) -> tuple[str, ...] | None:
    """What was changed since the last run after a look, or since the first look; None if nobody looked."""
    entries = log(project)
    looked = [e.inputs for e in entries if e.kind is DecisionKind.LOOK]
    if not looked:
        return None
    starts = [e.inputs for e in entries if e.kind is DecisionKind.CHOICE and e.inputs is not None]
    return tuple(changes(_UNTOUCHED | ((starts or looked[:1])[-1] or {}), inputs_of(project)))


def looks(project: Project) -> frozenset[str]:
    """The sentences of all looks at exact numbers of this project's table, without repetition."""
    return frozenset(entry.sentence for entry in log(project) if entry.kind is DecisionKind.LOOK)


def has_looked(project: Project) -> bool:
    """Whether anybody has seen exact numbers of this project's table."""
    return bool(looks(project))


def log(project: Project) -> tuple[Decision, ...]:
    """All entries, oldest first. Raises: `Mistake` if a line cannot be read; a log with a hole is none."""
    try:
        entries = store.lines_in(project.folder / FILE)
        return tuple(Decision(**{**entry, "kind": DecisionKind(entry["kind"])}) for entry in entries)
    except (OSError, ValueError, KeyError, TypeError):
        raise Mistake(_UNREADABLE) from None


def inputs_of(project: Project) -> dict[str, str]:
    """What the steward can declare or choose, one short text per thing; all of it public."""
    schema = {name: value for name, value in project.schema.items() if name != "columns"}
    inputs = dict(_flat(schema, "schema"))
    for column in project.schema.get("columns", []):
        facts = {name: value for name, value in column.items() if name != "name"}
        inputs |= _flat(facts, f"column {column.get('name', '')}:")
    for rule in project.rules:
        inputs[f"rule {rule if isinstance(rule, str) else _text(rule)!r}"] = "stated"
    for part in ("budget", "method"):
        inputs |= _flat(asdict(getattr(project, part)), part)
    return inputs | {f"{_WEIGHT}{part}": word_of(project.budget, part) for part in PARTS}


def changes(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    """What differs, one phrase per thing, in the order declared."""
    for name in [*before, *(n for n in after if n not in before)]:
        if before.get(name) != after.get(name):
            yield change(name, before.get(name), after.get(name))


def change(name: str, before: str | None, after: str | None) -> str:
    """One declared thing that is not what it was; None where it was not declared.

    >>> change("budget epsilon", "1.0", "2.0"), change("rule 'a'", "stated", None)
    ('budget epsilon from 1.0 to 2.0', "rule 'a' taken out")
    """
    if before is None:
        return f"{name} added" if after == "stated" else f"{name} set to {_line(after or '')}"
    if after is None:
        return f"{name} taken out"
    if max(len(before), len(after)) > _LONGEST:
        before, after = _apart(before.split(", "), after.split(", "))
    return f"{name} from {_line(before)} to {_line(after)}"


def _apart(before: list[str], after: list[str]) -> tuple[str, str]:
    """Two lists without what they have in common at their ends.

    >>> _apart(["a", "b", "c", "d"], ["a", "x", "y", "d"])
    ('..., b, c, ...', '..., x, y, ...')
    """
    first = _shared(before, after)
    last = _shared(before[first:][::-1], after[first:][::-1])

    def middle(words: list[str]) -> str:
        kept = words[first : len(words) - last]
        return ", ".join(["..."] * (first > 0) + kept + ["..."] * (last > 0))

    return middle(before), middle(after)


def _shared(one: list[str], other: list[str]) -> int:
    """How many words two lists begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _line(value: str) -> str:
    return " ".join(value.split()) or "nothing"


def _flat(value: dict[str, Any], name: str) -> Iterator[tuple[str, str]]:
    for key, part in value.items():
        if isinstance(part, dict):
            yield from _flat(part, f"{name} {key}")
        else:
            yield f"{name} {key}", _text(part)


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value))
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)


def _append(project: Project, kind: DecisionKind, sentence: str, inputs: dict[str, str] | None) -> None:
    entry = Decision(at=f"{dt.datetime.now(dt.UTC):%Y-%m-%d}", kind=kind, sentence=sentence, inputs=inputs)
    store.append_line(project.folder / FILE, asdict(entry))
