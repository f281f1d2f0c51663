"""Store projects.

Each project is one immutable document in its own folder, which is completely rewritten on every change. The
folder's name is a random ID, which is all that an address contains. A project stores the path of the private
file, but none of its content.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from synth.app.jobs.locks import hold
from synth.app.jobs.store import append_line as append
from synth.app.jobs.store import write
from synth.core.documents import read_as
from synth.core.errors import Mistake
from synth.core.request import METHOD, People
from synth.core.system import places
from synth.core.system.address import Address, check_kinds, entries, typed_address
from synth.private.ledger import DEFAULT_LIFETIME
from synth.release.documents.statement import Imprint

_PROJECT_ID = re.compile(r"[A-Za-z0-9_-]{12,32}")
_VERSION = 1
FILE, LOCK = "project.json", ".writing"
_CHUNK = 1 << 20
SPENDING = "spending"
"""Name of the lock that a window takes to start a run."""

_WRITING_SECONDS = 30.0
"""Maximum seconds for which one window waits until another has written a project. Writing takes
milliseconds.
"""
_BUSY = "Another window is still writing this project. Wait a moment, then repeat your last change."
NOT_HERE = "The project at this address does not exist. Open the demo or another project."


class Upload(Protocol):
    """An uploaded file, which has a name and can be read as bytes."""

    @property
    def name(self) -> str: ...

    def read(self, size: int = -1, /) -> bytes: ...


class Origin(StrEnum):
    """The origin of the private file."""

    DEMO = "demo"
    PATH = "path"
    DATABASE = "database"
    UPLOAD = "upload"
    PENDING = "pending"


@dataclass(frozen=True, kw_only=True)
class Budget:
    """The requested guarantee and the split of the budget.

    `lifetime` is the limit of a new lifetime budget (epsilon). `weights` and `importance` contain the
    priorities (`allocation.WEIGHTS`) of budget parts and of columns that differ from the defaults. `means`
    contains formulas to measure (`core.measurements.formula`). `rows_at_most` and `rows_about` come from
    public knowledge and are never counted. `reason` is the written reason for exceeding the organisation's
    limit.
    """

    epsilon: float = 1.0
    delta: float = DEFAULT_LIFETIME[1]
    lifetime: float = 4.0
    weights: dict[str, str] = field(default_factory=dict)
    importance: dict[str, str] = field(default_factory=dict)
    means: tuple[str, ...] = ()
    rows_at_most: int | None = None
    rows_about: int | None = None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Method:
    """A mechanism of the registry with the options that differ from its defaults.

    `generator` draws the records, or is None for the mechanism's own generator. `generator_options` contains
    the options that differ from the generator's defaults. `extras` contains the generators of further tables
    from the same measurements, which cost no budget. `compress` merges rare values during the run.
    """

    name: str = METHOD
    options: dict[str, Any] = field(default_factory=dict)
    generator: str | None = None
    generator_options: dict[str, Any] = field(default_factory=dict)
    compress: bool = False
    rows: int | None = None
    workload: int = 2
    extras: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The organisation's limits on the epsilon of a release and of a lifetime budget, or None for no limit.

    `approvers` is the number of people who must approve a publication.
    """

    release: float | None = None
    lifetime: float | None = None
    approvers: int = 1


@dataclass(frozen=True, kw_only=True)
class Suitability:
    """The answers to the questions on suitability, from public knowledge. Unanswered questions have None or
    "". `harm` is a choice on the page Who is protected. `size` was one in version 0.9: the order of magnitude
    of the number of rows.
    """

    people: bool | None = None
    records: bool | None = None
    harm: str = ""
    size: str = ""


@dataclass(frozen=True, kw_only=True)
class Start:
    """The public table from which the next run starts: its path, its source in words, and the SHA-256 of its
    content when it was chosen. All fields are "" without such a table.
    """

    path: str = ""
    source: str = ""
    digest: str = ""


@dataclass(frozen=True, kw_only=True)
class Project:
    """One steward's work on one table. `schema` and `rules` are an object and a list of entries, as given.

    `people` and `new_to` are as in `core.request.Request`. `runs` contains IDs of the job store, oldest
    first. `drafting` states that the next run is being prepared. `settled` contains the names of the steps
    that the steward has confirmed. `reasons` states by run ID why a run exceeds the organisation's limit.
    `owner` is the user, if there is a login. `header` contains the names last read from the file's first
    line, and `called` is the file's own name. Both are for the steward only. `archived` projects are listed
    separately.
    """

    id: str
    name: str
    origin: Origin
    data: str
    schema: dict[str, Any]
    rules: tuple[Any, ...] = ()
    budget: Budget = field(default_factory=Budget)
    method: Method = field(default_factory=Method)
    start: Start = field(default_factory=Start)
    people: People = People.UNDECLARED
    new_to: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    drafting: bool = True
    purpose: str = ""
    rehearsal: bool = False
    limits: Limits = field(default_factory=Limits)
    suitability: Suitability = field(default_factory=Suitability)
    settled: tuple[str, ...] = ()
    called: str = ""
    owner: str = ""
    imprint: Imprint = field(default_factory=Imprint)
    reasons: dict[str, str] = field(default_factory=dict)
    header: tuple[str, ...] = ()
    archived: bool = False

    @property
    def folder(self) -> Path:
        return folder_of(self.id)


def folder_of(identity: str) -> Path:
    """Return the folder of a project. Raises: `Mistake` for an invalid ID."""
    if not _PROJECT_ID.fullmatch(identity):
        raise Mistake("There is no project at this address. Open the demo or your own table.")
    return places.home() / "projects" / identity


def fresh_id() -> str:
    """Return an ID that cannot be guessed (96 bits)."""
    return secrets.token_urlsafe(12)


def save(project: Project) -> None:
    """Write the project in one step."""
    folder = places.made(project.folder)
    document = {"version": _VERSION, "project": document_of(project)}
    write(folder / FILE, json.dumps(document, indent=1, sort_keys=True))


def load(identity: str) -> Project:
    """Load a project that `save` has written. Raises: `Mistake` if there is no such project or its file
    cannot be read.
    """
    path = folder_of(identity) / FILE
    try:
        project = project_of(json.loads(path.read_text(encoding="utf-8"))["project"])
    except (OSError, ValueError, KeyError, TypeError):
        raise Mistake(NOT_HERE) from None
    if project.id != identity:
        raise Mistake(NOT_HERE)
    return project


def find(identity: str) -> Project | None:
    """Return a project, or None if it does not exist or cannot be read."""
    with suppress(Mistake):
        return load(identity)
    return None


def is_there(identity: str) -> bool:
    """Return whether a project exists, even if it cannot be read."""
    return (folder_of(identity) / FILE).exists()


def document_of(project: Project) -> dict[str, Any]:
    """Return the project as a JSON object."""
    return dict(json.loads(json.dumps(asdict(project))))


def project_of(document: Mapping[str, Any]) -> Project:
    """Convert an object from `document_of` back to a project. Raises: `KeyError`, `TypeError` or `ValueError`
    for anything else.
    """
    return read_as(Project, document)


def spending(identity: str) -> AbstractContextManager[None]:
    """Return a lock that lets only one window at a time start a run of a project.

    Raises: `Mistake` if another window keeps it locked.
    """
    return _locked(identity, SPENDING)


def writing(identity: str) -> AbstractContextManager[None]:
    """Return a lock for writing a project. Raises: `Mistake` if another window keeps it locked."""
    return _locked(identity, LOCK)


@contextmanager
def _locked(identity: str, name: str) -> Iterator[None]:
    with hold(places.made(folder_of(identity)) / name, patience=_WRITING_SECONDS) as free:
        if not free:
            raise Mistake(_BUSY)
        yield


def on_disk() -> Iterator[tuple[str, dt.datetime]]:
    """Yield the ID of every project in this home, with the time of its last change (UTC)."""
    for path in (places.home() / "projects").glob(f"*/{FILE}"):
        if _PROJECT_ID.fullmatch(path.parent.name):
            yield path.parent.name, dt.datetime.fromtimestamp(path.stat().st_mtime, dt.UTC)


def append_line(path: Path, fact: Mapping[str, Any]) -> None:
    """Append a line of JSON to a file next to a project (0600). The line is on the disk when this function
    returns.
    """
    places.made(path.parent)
    append(path, fact)


def lines_in(path: Path) -> list[Any]:
    """Return the entries written by `append_line`, oldest first, or nothing if there is no file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def keep_upload(identity: str, upload: Upload, *, suffix: str) -> Path:
    """Write an upload into the project's folder (0600) without reading it."""
    folder = places.made(folder_of(identity))
    path = folder / f"private{suffix}"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        while chunk := upload.read(_CHUNK):
            file.write(chunk)
    return path


def allowed_address(typed: str, *, table: str = "") -> Address:
    """Return the address of a table: a file, folder or pattern in the data folder, or a connection. All links
    are followed.

    Raises: `Mistake` if it is outside the data folder or does not exist.
    """
    root = places.tables().resolve()
    if not typed.strip():
        raise Mistake(f"Name a file in the data folder {root}.")
    address = typed_address(typed, table=table, root=root)
    if address.connection:
        return address
    inside = replace(address, path=address.path.resolve())
    outside = Mistake(f"{typed!r} is outside the data folder {root}. Move it there first.")
    if not inside.path.is_relative_to(root):
        raise outside
    if not inside.is_there:
        raise Mistake(f"There is no file {typed!r} in the data folder {root}.")
    if not all(path.resolve().is_relative_to(root) for path in entries(inside)):
        raise outside
    check_kinds(inside)
    return inside


def allowed_package(typed: str) -> Path:
    """Return the path of a release package or a file in the data folder. All links are followed.

    Raises: `Mistake` if it is outside the data folder or does not exist.
    """
    root = places.tables().resolve()
    path = (root / Path(typed.strip()).expanduser()).resolve()
    if not typed.strip() or not path.is_relative_to(root):
        raise Mistake(f"{typed!r} is not in the data folder {root}. Move the table there first.")
    if not path.exists():
        raise Mistake(f"There is no {typed!r} in the data folder {root}.")
    return path
