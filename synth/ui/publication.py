"""Publishing a run, without a page: what has to be settled, the words, the report, the bundle that leaves.

Reads finished bundles and the decision log, never the private table. A publication lies in a folder of its
own (`published/RUN`) and is never written twice, so whether a run is published is a fact of the disk.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path

from synth.errors import Mistake
from synth.jobs import runner
from synth.jobs.kinds import publishing
from synth.jobs.store import Status, Task
from synth.release import publish as gate
from synth.release.layout import CHECKSUMS
from synth.release.opened import Opened, open_bundle, zip_of
from synth.release.statement import Imprint
from synth.schema import Provenance
from synth.schema_io import load_schema
from synth.ui import decisions, released
from synth.ui.finished import Finished
from synth.ui.project import Project
from synth.ui.text import decisions as log_words
from synth.ui.text import release as text
from synth.ui.text import results as results_words

APPROVALS = "approvals.jsonl"
"""Who agreed, one line each, beside the project; added to by whoever agrees, who need not own the project."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """One line of the checklist. `mark` is one of the page's words; what is to do or in the way locks."""

    mark: str
    name: str
    said: str

    @property
    def locks(self) -> bool:
        return self.mark in (text.OPEN, text.BLOCKED)


@dataclass(frozen=True, kw_only=True)
class Published:
    """A release that has left, with the words it says about itself. `day` is UTC."""

    folder: Path
    release: str
    day: str
    imprint: Imprint

    @property
    def archive_name(self) -> str:
        return zip_of(self.folder).name

    def archive(self) -> bytes:
        """The whole release as one zip."""
        return zip_of(self.folder).read_bytes()


def place_of(project: Project, run: str) -> Path:
    """Where the publication of a run lies."""
    return project.folder / "published" / run


def is_published(project: Project, run: str) -> bool:
    """Whether a run has left the house."""
    return (place_of(project, run) / CHECKSUMS).is_file()


def has_published(project: Project) -> bool:
    """Whether any table of this project has left the house, a further table of a run included."""
    return any(project.folder.glob(f"published/*/{CHECKSUMS}"))


def find(project: Project, run: str) -> Published | None:
    """The publication of a run, or None."""
    if not is_published(project, run):
        return None
    folder = place_of(project, run)
    told = _opened(folder).statement
    moment = dt.datetime.fromtimestamp((folder / CHECKSUMS).stat().st_mtime, dt.UTC)
    return Published(
        folder=folder,
        release=told["release"]["id"],
        day=f"{moment:%Y-%m-%d}",
        imprint=Imprint.of(told),
    )


def words_of(project: Project, run: str) -> Imprint:
    """The words as they stand: typed so far, the project's purpose until another is typed, who approved."""
    typed = replace(project.imprint, purpose=project.imprint.purpose or project.purpose)
    names = approvals(project, run) if project.owner else typed.approvers
    approvers = tuple(dict.fromkeys(name.strip() for name in names if name.strip()))
    return replace(typed, approvers=approvers, beyond=_beyond(project, run))


def _beyond(project: Project, run: str) -> str:
    """Why a run went beyond the organisation's limit; further tables of a run share its reason."""
    said = (reason for of, reason in project.reasons.items() if run == of or run.startswith(f"{of}-"))
    return next(said, "")


def approvals(project: Project, run: str) -> tuple[str, ...]:
    """Who has approved this run with these very words, where there is a login; other words lapse them."""
    path = project.folder / APPROVALS
    try:
        found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        here = [a["name"] for a in found if (a["run"], a["words"]) == (run, _digest(project))]
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, KeyError, TypeError):
        raise Mistake(text.APPROVALS_UNREADABLE) from None
    return tuple(dict.fromkeys(here))


def approve(project: Project, run: str, *, name: str) -> None:
    """Write down that somebody who is logged in agrees to publish this run with these words."""
    line = json.dumps({"name": name, "run": run, "words": _digest(project)}, sort_keys=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    with os.fdopen(os.open(project.folder / APPROVALS, flags, 0o600), "a", encoding="utf-8") as file:
        file.write(line + "\n")
        file.flush()
        os.fsync(file.fileno())


def _digest(project: Project) -> str:
    """What an approval is about."""
    words = replace(project.imprint, purpose=project.imprint.purpose or project.purpose, approvers=())
    return hashlib.sha256(json.dumps(asdict(words), sort_keys=True).encode()).hexdigest()


def imprint_of(project: Project, run: str, *, finished: int) -> Imprint:
    """The words as they are printed, with the decision log and the choice to publish this run."""
    lines = [entry.printed for entry in decisions.log(project)]
    choice = _choice(project, run, finished=finished)
    if choice:
        lines.append(f"{dt.datetime.now(dt.UTC):%Y-%m-%d}: {choice}")
    return replace(words_of(project, run), decisions=tuple(lines))


def _choice(project: Project, run: str, *, finished: int) -> str:
    """What the log will say about publishing this run; nothing if nobody looked or it says so already."""
    choice = log_words.published(run, finished)
    is_said = any(entry.sentence == choice for entry in decisions.log(project))
    return choice if decisions.has_looked(project) and not is_said else ""


def checklist(project: Project, run: Finished) -> tuple[Point, ...]:
    """Every point that has to be settled before this run may leave, in the order of the page."""
    release, opened = released.read(run.folder), _opened(run.folder)
    words, needed = words_of(project, run.run), project.limits.approvers
    names = {name.lower() for name in words.approvers}
    rehearsal = opened.layout.rehearsal
    held = results_words.held(release.rules, release.never_blank)
    return (
        Point(mark=text.DONE, name=text.POINT_RUN, said=run.label),
        Point(
            mark=text.BLOCKED if rehearsal else text.DONE,
            name=text.POINT_REAL,
            said=text.REHEARSAL if rehearsal else text.REAL,
        ),
        _flags(release.flags),
        Point(
            mark=text.BLOCKED if release.broken else text.DONE,
            name=text.POINT_RULES,
            said=_rules(release.broken, held),
        ),
        _domain(opened),
        _said(text.POINT_USE, words.purpose),
        _said(text.POINT_LICENCE, words.licence),
        _said(text.POINT_CONTACT, words.contact),
        Point(
            mark=text.DONE if len(names) >= needed else text.OPEN,
            name=text.POINT_APPROVAL,
            said=", ".join(words.approvers) if len(names) >= needed else text.approval(len(names), needed),
        ),
        _choices(project),
    )


def _flags(flags: Sequence[released.Flag]) -> Point:
    blocking = [flag.sentence for flag in flags if flag.blocks]
    if blocking:
        return Point(mark=text.BLOCKED, name=text.POINT_FLAGS, said=" ".join(blocking))
    if flags:
        noted = text.FLAGS_NOTED.format(flags=" ".join(flag.sentence for flag in flags))
        return Point(mark=text.NOTE, name=text.POINT_FLAGS, said=noted)
    return Point(mark=text.DONE, name=text.POINT_FLAGS, said=text.FLAGS_NONE)


def _rules(broken: int, held: str) -> str:
    return text.rules_hold(broken, held) if held else text.RULES_NONE


def _domain(opened: Opened) -> Point:
    schema = load_schema(opened.spec["schema"])
    read = [c.title or c.name for c in schema.modelled if c.provenance is Provenance.READ_FROM_FILE]
    said = text.DOMAIN_READ.format(names=", ".join(read)) if read else text.DOMAIN_DECLARED
    return Point(mark=text.NOTE if read else text.DONE, name=text.POINT_DOMAIN, said=said)


def _said(name: str, said: str) -> Point:
    given = bool(said.strip())
    return Point(mark=text.DONE if given else text.OPEN, name=name, said=said if given else text.MISSING)


def _choices(project: Project) -> Point:
    lines = len(decisions.log(project))
    return Point(mark=text.NOTE if lines else text.DONE, name=text.POINT_CHOICES, said=text.choices(lines))


def start(project: Project, run: Finished, *, finished: int) -> None:
    """Have the release written and checked by a process of its own; `under_way` tells how far it is.

    Raises: `Mistake` if a point is open, if the run is published, or is being published.
    """
    still_open = tuple(point.name for point in checklist(project, run) if point.locks)
    if still_open:
        raise Mistake(text.PUBLISH_LOCKED.format(names=", ".join(still_open)))
    if is_published(project, run.run):
        raise Mistake(text.PUBLISHED_ALREADY)
    imprint = imprint_of(project, run.run, finished=finished)
    choice = _choice(project, run.run, finished=finished)
    place = place_of(project, run.run)
    order = publishing.order(source=run.folder, place=place, imprint=imprint)
    runner.begin(_task(project, run.run), order)
    if choice:
        decisions.choose(project, choice)


def under_way(project: Project, run: str) -> Status | None:
    """How far the publication of a run is, or how the last attempt ended; None if nobody tried."""
    return runner.seen(_task(project, run))


def _task(project: Project, run: str) -> Task:
    return Task(project.folder / "publishing" / run, "publishing")


def preview(project: Project, run: Finished, *, finished: int) -> str:
    """The report as it would be printed now, as one HTML page without scripts."""
    return gate.preview(_opened(run.folder), imprint_of(project, run.run, finished=finished))


def _opened(folder: Path) -> Opened:
    """A bundle of ours, remembered under its checksums: it never changes, and nothing in it is private."""
    try:
        return _kept(folder, (folder / CHECKSUMS).read_bytes())
    except OSError:
        raise Mistake(released.UNREADABLE) from None


@lru_cache(maxsize=4)
def _kept(folder: Path, checksums: bytes) -> Opened:
    return open_bundle(folder)
