"""The decision log: every look at exact numbers of the private table, and every choice made after one.

A choice made after such a look spends privacy that no ledger sees, so it is printed in the report instead.
The log is a file of its own beside the project (`decisions.jsonl`, 0600), added to and never rewritten:
neither a second tab nor an older copy of the project can drop an entry.

A look is written down when it happens, with the declarations as they stood. What was changed after it is
found when it takes effect, at the start of a run: the difference between then and now. Entries are public as
they stand; a sentence says what was looked at and what was chosen, never what was seen.
"""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from synth.errors import Mistake
from synth.ui.project import Project
from synth.ui.text import decisions as text


class Kind(StrEnum):
    """What an entry records."""

    LOOK = "look"
    CHOICE = "choice"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of the log. `at` is a UTC day; `inputs` are the declarations then, where they matter later."""

    at: str
    kind: Kind
    sentence: str
    inputs: dict[str, str] | None = None

    @property
    def printed(self) -> str:
        """The line of the report."""
        return f"{self.at}: {self.sentence}"


def look(project: Project, sentence: str) -> None:
    """Write down that numbers of the steward's side were shown; once while nothing declared changes."""
    now = inputs_of(project)
    if not any(e.kind is Kind.LOOK and (e.sentence, e.inputs) == (sentence, now) for e in log(project)):
        _append(project, Kind.LOOK, sentence, now)


def choose(project: Project, sentence: str) -> None:
    """Write down a choice in the steward's own words. Raises: `Mistake` for an empty one."""
    if not sentence.strip():
        raise Mistake(text.EMPTY)
    _append(project, Kind.CHOICE, " ".join(sentence.split()), None)


def begin(project: Project, run: str) -> None:
    """Write down what a run that starts now owes to earlier looks; nothing if there was none."""
    changed = changes_since(project)
    if changed is not None:
        _append(project, Kind.CHOICE, text.begun(run, changed), inputs_of(project))


def changes_since(project: Project) -> tuple[str, ...] | None:
    """What was changed since the last run after a look, or since the first look; None if nobody looked."""
    entries = log(project)
    looks = [e.inputs for e in entries if e.kind is Kind.LOOK]
    if not looks:
        return None
    starts = [e.inputs for e in entries if e.kind is Kind.CHOICE and e.inputs is not None]
    return tuple(changes((starts or looks[:1])[-1] or {}, inputs_of(project)))


def looks(project: Project) -> frozenset[str]:
    """The sentences of all looks: what was shown of this project's table, without repetition."""
    return frozenset(entry.sentence for entry in log(project) if entry.kind is Kind.LOOK)


def has_looked(project: Project) -> bool:
    """Whether anybody has seen exact numbers of this project's table."""
    return bool(looks(project))


def log(project: Project) -> tuple[Entry, ...]:
    """All entries, oldest first. Raises: `Mistake` if a line cannot be read; a log with a hole is none."""
    path = project.folder / "decisions.jsonl"
    if not path.exists():
        return ()
    try:
        found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return tuple(Entry(**{**entry, "kind": Kind(entry["kind"])}) for entry in found)
    except (OSError, ValueError, KeyError, TypeError):
        raise Mistake(text.UNREADABLE) from None


def inputs_of(project: Project) -> dict[str, str]:
    """What the steward can declare or choose, one short text per thing; all of it public."""
    schema = {name: value for name, value in project.schema.items() if name != "columns"}
    found = dict(_flat(schema, text.SCHEMA))
    for column in project.schema.get("columns", []):
        facts = {name: value for name, value in column.items() if name != "name"}
        found |= _flat(facts, text.COLUMN.format(name=column.get("name", "")))
    for rule in project.rules:
        found[text.RULE.format(rule=rule if isinstance(rule, str) else _text(rule))] = text.STATED
    for part in ("budget", "method"):
        found |= _flat(asdict(getattr(project, part)), part)
    return found


def changes(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    """What differs, one phrase per thing, in the order declared."""
    for name in [*before, *(n for n in after if n not in before)]:
        if before.get(name) != after.get(name):
            yield text.change(name, before.get(name), after.get(name))


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


def _append(project: Project, kind: Kind, sentence: str, inputs: dict[str, str] | None) -> None:
    entry = Entry(at=f"{dt.datetime.now(dt.UTC):%Y-%m-%d}", kind=kind, sentence=sentence, inputs=inputs)
    project.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    handle = os.open(project.folder / "decisions.jsonl", flags, 0o600)
    with os.fdopen(handle, "a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(entry), sort_keys=True) + "\n")
        file.flush()
        os.fsync(file.fileno())
