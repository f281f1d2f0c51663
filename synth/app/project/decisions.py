"""The decision log: every view of exact figures from the private table, and every choice made after one.

A choice after such a view can leak information that no ledger accounts for, so it is printed in the report.
If another table is chosen, this is recorded too: earlier views then no longer concern the present table, but
choices after them are still recorded.

The log is a file next to the project (`decisions.jsonl`, 0600). Entries are only appended, so neither a
second tab nor an older copy of the project can remove one. A view is recorded when it happens, with the
declarations at that time. When a run starts, the changes to the declarations since the view are recorded.
Entries are public: they state what was viewed and what was chosen, but not which figures were seen.
"""

from __future__ import annotations

import datetime as dt
import secrets
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from hashlib import sha256

from synth.app.project import store
from synth.app.project.inputs import UNTOUCHED, changes, inputs_of
from synth.app.project.store import Project
from synth.core.documents import read_as
from synth.core.errors import Mistake

FILE = "decisions.jsonl"
FAILED_LOOK = "Saw why the exact comparison with the private table could not be made (private evaluation)."
LOOKED_AT_FIT = (
    "The private file was compared with the declared columns, with counts of cells that do not fit."
)
NEXT_TABLE = "The table of the next release was chosen. Later entries are about this table."
OTHER_TABLE = "Another file was chosen as the private table. Later entries are about this table."
_UNREADABLE = (
    "The decision log of this project cannot be read, so nothing can be released. Ask your administrator to "
    "restore decisions.jsonl in the project's folder."
)


class DecisionKind(StrEnum):
    """The kind of an entry."""

    LOOK = "look"
    LOOK_BACK = "look back"  # at an earlier table than the present one
    CHOICE = "choice"
    TABLE = "table"


@dataclass(frozen=True, kw_only=True)
class Decision:
    """One line of the log. `at` is a day in UTC. `inputs` contains the declarations at that time, if they
    matter later. For a new table, it contains digests of the addresses of both tables and the number of runs
    of earlier tables.
    """

    at: str
    kind: DecisionKind
    sentence: str
    inputs: dict[str, str] | None = None

    @property
    def printed(self) -> str:
        """Return the line as printed in the report."""
        return f"{self.at}: {self.sentence}"


def record_look(project: Project, sentence: str, *, is_of_present: bool = True) -> None:
    """Record that exact figures were shown. As long as no declaration changes, this is recorded only once for
    each table. `is_of_present` states whether they are of the present table.
    """
    now, kind = inputs_of(project), DecisionKind.LOOK if is_of_present else DecisionKind.LOOK_BACK
    if not any(e.kind is kind and (e.sentence, e.inputs) == (sentence, now) for e in _present(project)):
        _append(project, kind, sentence, now)


def record_table(before: Project, after: Project, *, is_next: bool) -> None:
    """Record that another table was chosen. `is_next` states that it is the table of the next release, which
    is new even if its address is that of the earlier table.
    """
    if not before.data or (after.data == before.data and not is_next):
        return
    facts = {"before": _digest(before), "table": secrets.token_hex(16) if is_next else _digest(after)}
    facts["runs"] = str(len(after.runs) if is_next else 0)
    shutil.rmtree(after.folder / "fit", ignore_errors=True)  # the comparison was of the earlier table
    _append(after, DecisionKind.TABLE, NEXT_TABLE if is_next else OTHER_TABLE, facts)


def record_choice(project: Project, sentence: str) -> None:
    """Record a choice in the steward's own words. Raises: `Mistake` for an empty text."""
    if not sentence.strip():
        raise Mistake("Describe the choice in a sentence first.")
    _append(project, DecisionKind.CHOICE, " ".join(sentence.split()), None)


def record_start(project: Project, run: str) -> None:
    """Record what changed between the last view and the run that starts now. Without a view, record
    nothing.
    """
    changed = changes_since(project)
    if changed is not None:
        what = f"these changes: {'; '.join(changed)}" if changed else "nothing changed"
        view = "a private view" if looks(project) else "a private view of an earlier table"
        sentence = f"{_called(len(project.runs) + 1, run)} was started after {view}, with {what}."
        _append(project, DecisionKind.CHOICE, sentence, inputs_of(project))


def steward_look(names: Sequence[str]) -> str:
    """Return the line that records a view of the private evaluation.

    >>> steward_look(["Run 1", "Run 3"])
    'Saw the exact comparison of Run 1, Run 3 with the private table (private evaluation).'
    """
    return f"Saw the exact comparison of {', '.join(names)} with the private table (private evaluation)."


def further_table(number: int, generator: str, rows: int) -> str:
    """Return the line that records another table of a run after a view."""
    return f"Made another table of run {number} by {generator}, {rows:,} rows, from the same noisy counts."


def accuracy_check(name: str, epsilon: float) -> str:
    """Return the line that records an accuracy measurement of a finished table after a view.

    >>> accuracy_check("Run 2", 0.22)
    'Measured the accuracy of Run 2 with epsilon 0.22, in addition to that of the release.'
    """
    return f"Measured the accuracy of {name} with epsilon {epsilon:g}, in addition to that of the release."


def publication(number: int, run: str, finished: int) -> str:
    """Return the line that records a decision to publish after a view.

    >>> publication(2, "0a1b2c3d", 1)
    'The table of Run 2 (0a1b2c3d), the only finished one, was chosen for publication after a private view.'
    """
    of = "the only finished one" if finished == 1 else f"one of {finished} finished"
    return f"The table of {_called(number, run)}, {of}, was chosen for publication after a private view."


def _called(number: int, run: str) -> str:
    """Return how a line names a run: by its number in the project and the ID in its package."""
    return f"Run {number} ({run})"


def changes_since(project: Project) -> tuple[str, ...] | None:
    """Return the changes since the last run after a view, or since the first view. Return None without a
    view.
    """
    entries = log(project)
    looked = [e.inputs for e in entries if _is_look(e)]
    if not looked:
        return None
    return tuple(changes(UNTOUCHED | ((_starts(entries) or looked[:1])[-1] or {}), inputs_of(project)))


def has_started(project: Project) -> bool:
    """Return whether a run was started after a view."""
    return bool(_starts(log(project)))


def _starts(entries: Sequence[Decision]) -> list[dict[str, str]]:
    return [e.inputs for e in entries if e.kind is DecisionKind.CHOICE and e.inputs is not None]


def looks(project: Project) -> frozenset[str]:
    """Return the sentences of all views of the present table without repetitions."""
    return frozenset(entry.sentence for entry in _present(project) if entry.kind is DecisionKind.LOOK)


def all_looks(project: Project) -> frozenset[str]:
    """Return the sentences of all views without repetitions, also of earlier tables."""
    return frozenset(entry.sentence for entry in log(project) if _is_look(entry))


def has_looked(project: Project) -> bool:
    """Return whether exact figures were viewed, of the present table or an earlier one."""
    return bool(all_looks(project))


def runs_of_earlier_tables(project: Project) -> int:
    """Return the number of runs that were started before the table of the next release was chosen."""
    tables = [entry.inputs or {} for entry in log(project) if entry.kind is DecisionKind.TABLE]
    return int(tables[-1].get("runs", 0)) if tables else 0


def printed(project: Project) -> list[str]:
    """Return the log as printed in documents: without changes of the table before the first view."""
    lines, has_view = [], False
    for entry in log(project):
        has_view |= _is_look(entry)
        if has_view or entry.kind is not DecisionKind.TABLE:
            lines.append(entry.printed)
    return lines


def _is_look(entry: Decision) -> bool:
    return entry.kind in (DecisionKind.LOOK, DecisionKind.LOOK_BACK)


def _present(project: Project) -> list[Decision]:
    """Return the entries about the present table, which may have been chosen several times."""
    entries = log(project)
    tables = [e.inputs or {} for e in entries if e.kind is DecisionKind.TABLE]
    current, found = tables[0].get("before") if tables else None, []
    last = tables[-1].get("table") if tables else None
    for entry in entries:
        if entry.kind is DecisionKind.TABLE:
            current = (entry.inputs or {}).get("table")
        elif current == last:
            found.append(entry)
    return found


def _digest(project: Project) -> str:
    return sha256(project.data.encode()).hexdigest()


def log(project: Project) -> tuple[Decision, ...]:
    """Return all entries, oldest first. Raises: `Mistake` if a line cannot be read."""
    try:
        return tuple(read_as(Decision, entry) for entry in store.lines_in(project.folder / FILE))
    except (OSError, ValueError, KeyError, TypeError):
        raise Mistake(_UNREADABLE) from None


def _append(project: Project, kind: DecisionKind, sentence: str, inputs: dict[str, str] | None) -> None:
    entry = Decision(at=f"{dt.datetime.now(dt.UTC):%Y-%m-%d}", kind=kind, sentence=sentence, inputs=inputs)
    store.append_line(project.folder / FILE, asdict(entry))
