"""Publish a run: the checklist, the texts of the steward, the report, and the release package.

This module reads finished packages and the decision log, never the private table. A publication has its own
folder (`published/RUN`) and is written only once.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from synth.app.jobs import runner
from synth.app.jobs.kinds import publishing
from synth.app.jobs.store import Status, Task
from synth.app.project import decisions, store
from synth.app.project.results import bundles, released
from synth.app.project.runs import SyntheticTable
from synth.app.project.store import Project
from synth.core.errors import Mistake
from synth.core.schema import Provenance
from synth.release.documents.statement import Imprint
from synth.release.formats.forms import Form, export
from synth.release.layout import CHECKSUMS
from synth.release.opened import open_bundle, zip_of
from synth.release.publish import preview as report_of

APPROVALS = "approvals.jsonl"
"""Name of the file with the approvals, one per line. It is next to the project, because approvers need not
own the project.
"""


class Topic(StrEnum):
    """The points of the checklist, by their titles on the page."""

    RUN = "Finished run"
    REAL = "Real release"
    FLAGS = "Warnings"
    RULES = "Rules"
    DOMAIN = "Source of the domains"
    USE = "Intended use"
    LICENCE = "Licence"
    CONTACT = "Contact"
    APPROVAL = "Approval"
    CHOICES = "Choices after viewing private data"


class Settled(StrEnum):
    """The state of a checklist point."""

    DONE = "settled"
    OPEN = "to do"
    NOTE = "note"
    BLOCKED = "in the way"


@dataclass(frozen=True, kw_only=True)
class ChecklistPoint:
    """A point of the checklist, with the facts that the page shows. The states `to do` and `in the way` block
    publication.
    """

    topic: Topic
    settled: Settled
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def locks(self) -> bool:
        return self.settled in (Settled.OPEN, Settled.BLOCKED)


@dataclass(frozen=True, kw_only=True)
class Published:
    """A published release with its own texts. `day` is in UTC."""

    folder: Path
    release: str
    day: str
    imprint: Imprint

    @property
    def archive_name(self) -> str:
        return zip_of(self.folder).name

    def file_name(self, form: Form) -> str:
        """Return the name of the file with the table in a format."""
        return f"{self.archive_name.removesuffix('.zip')}{form.ending}"

    def table(self, form: Form) -> bytes:
        """Return the table in a format. Raises: `Mistake` if a library is missing."""
        return export(open_bundle(self.folder), form.name)

    def archive(self) -> bytes:
        """Return the release as a zip."""
        return zip_of(self.folder).read_bytes()


def place_of(project: Project, run: str) -> Path:
    """Return the folder of the publication of a run."""
    return project.folder / "published" / run


def is_published(project: Project, run: str) -> bool:
    """Return whether a run is published."""
    return (place_of(project, run) / CHECKSUMS).is_file()


def count_published(project: Project) -> int:
    """Return the number of published tables of this project, including further tables."""
    return len(list(project.folder.glob(f"published/*/{CHECKSUMS}")))


def find(project: Project, run: str) -> Published | None:
    """Return the publication of a run, or None."""
    if not is_published(project, run):
        return None
    folder = place_of(project, run)
    statement = bundles.opened(folder).statement
    moment = dt.datetime.fromtimestamp((folder / CHECKSUMS).stat().st_mtime, dt.UTC)
    return Published(
        folder=folder,
        release=statement["release"]["id"],
        day=f"{moment:%Y-%m-%d}",
        imprint=Imprint.of(statement),
    )


def words_of(project: Project, run: str) -> Imprint:
    """Return the texts typed so far, with the project's purpose as default, and the names of the
    approvers.
    """
    typed = replace(project.imprint, purpose=project.imprint.purpose or project.purpose)
    names = approvals(project, run) if project.owner else typed.approvers
    approvers = tuple(dict.fromkeys(name.strip() for name in names if name.strip()))
    return replace(typed, approvers=approvers, beyond=_beyond(project, run))


def _beyond(project: Project, run: str) -> str:
    """Return the stated reason why the run of a table exceeds the organisation's limit."""
    reasons = (reason for of, reason in project.reasons.items() if run == of or run.startswith(f"{of}-"))
    return next(reasons, "")


def approvals(project: Project, run: str) -> tuple[str, ...]:
    """Return the names of those who have approved this run with these texts, if there is a login.

    Raises: `Mistake` if the list cannot be read.
    """
    try:
        lines = store.lines_in(project.folder / APPROVALS)
        here = [a["name"] for a in lines if (a["run"], a["words"]) == (run, _digest(project))]
    except (OSError, ValueError, KeyError, TypeError):
        raise Mistake(
            "The list of approvals of this project cannot be read. Ask your administrator to restore "
            f"{APPROVALS} in the project's folder."
        ) from None
    return tuple(dict.fromkeys(here))


def approve(project: Project, run: str, *, name: str) -> None:
    """Record that a logged-in user approves the publication of this run with these texts."""
    store.append_line(project.folder / APPROVALS, {"name": name, "run": run, "words": _digest(project)})


def _digest(project: Project) -> str:
    """Return a digest of the approved texts."""
    words = replace(project.imprint, purpose=project.imprint.purpose or project.purpose, approvers=())
    return hashlib.sha256(json.dumps(asdict(words), sort_keys=True).encode()).hexdigest()


def imprint_of(project: Project, run: str, *, finished: int) -> Imprint:
    """Return the texts as printed, with the decision log and the choice to publish this run."""
    lines = decisions.printed(project)
    choice = _choice(project, run, finished=finished)
    if choice:
        lines.append(f"{dt.datetime.now(dt.UTC):%Y-%m-%d}: {choice}")
    return replace(words_of(project, run), decisions=tuple(lines))


def _choice(project: Project, run: str, *, finished: int) -> str:
    """Return the log entry about publishing this run, or "" without a view or if the log already has this
    entry.
    """
    number = next(n for n, own in enumerate(project.runs, start=1) if run.startswith(own))
    choice = decisions.publication(number, run, finished)
    is_said = any(entry.sentence == choice for entry in decisions.log(project))
    return choice if decisions.has_looked(project) and not is_said else ""


def checklist(project: Project, run: SyntheticTable, *, finished: int) -> tuple[ChecklistPoint, ...]:
    """Return the checklist for publishing this run, in the order of the page."""
    release, bundle = released.read(run.folder), bundles.opened(run.folder)
    words = imprint_of(project, run.run, finished=finished)
    lines = len(words.decisions)
    names = {name.lower() for name in words.approvers}
    blocking = [flag for flag in release.flags if flag.blocks]
    columns = bundle.schema.modelled
    read = [c.title or c.name for c in columns if c.provenance is Provenance.READ_FROM_FILE]

    def point(topic: Topic, settled: bool, otherwise: Settled, **facts: Any) -> ChecklistPoint:
        return ChecklistPoint(topic=topic, settled=Settled.DONE if settled else otherwise, facts=facts)

    given = {Topic.USE: words.purpose, Topic.LICENCE: words.licence, Topic.CONTACT: words.contact}
    return (
        point(Topic.RUN, True, Settled.OPEN),
        point(Topic.REAL, not bundle.layout.rehearsal, Settled.BLOCKED),
        point(
            Topic.FLAGS,
            not release.flags,
            Settled.BLOCKED if blocking else Settled.NOTE,
            flags=sorted(release.flags, key=lambda flag: not flag.blocks),
        ),
        point(
            Topic.RULES,
            not release.broken,
            Settled.BLOCKED,
            broken=release.broken,
            rules=release.rules,
            never_blank=release.never_blank,
        ),
        point(Topic.DOMAIN, not read, Settled.NOTE, columns=read),
        *(point(topic, bool(w.strip()), Settled.OPEN) for topic, w in given.items()),
        point(Topic.APPROVAL, len(names) >= project.limits.approvers, Settled.OPEN),
        point(Topic.CHOICES, not lines, Settled.NOTE, lines=lines),
    )


def start(project: Project, run: SyntheticTable, *, finished: int) -> None:
    """Order the release, which a separate process writes and checks (see `under_way`).

    Raises: `Mistake` if a point of the checklist is open, or if the run is published or being published.
    """
    still_open = tuple(point.topic for point in checklist(project, run, finished=finished) if point.locks)
    if still_open:
        raise Mistake(f"The checklist has open points: {', '.join(still_open)}. Settle them first.")
    if is_published(project, run.run):
        raise Mistake("This run is already published.")
    imprint = imprint_of(project, run.run, finished=finished)
    choice = _choice(project, run.run, finished=finished)
    place = place_of(project, run.run)
    order = publishing.order(source=run.folder, place=place, imprint=imprint)
    runner.begin(task_of(project, run.run), order)
    if choice:
        decisions.record_choice(project, choice)


def under_way(project: Project, run: str) -> Status | None:
    """Return the status of the last attempt to publish a run, or None if there was none."""
    return runner.find_status(task_of(project, run))


def task_of(project: Project, run: str) -> Task:
    return Task(project.folder / "publishing" / run, "publishing")


def preview(project: Project, run: SyntheticTable, *, finished: int) -> str:
    """Return the report as it would be published now, as one HTML page without scripts."""
    return report_of(bundles.opened(run.folder), imprint_of(project, run.run, finished=finished))
