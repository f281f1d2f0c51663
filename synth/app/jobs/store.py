"""Read and write the folder of a task. Only its owner can read the folder, which is consistent at any time.

    FOLDER/               0700, HOME/jobs/RUN for a run, otherwise in the project's folder
      order.json          the order, in the form of its kind (0600)
      answer.json         the result, if the kind has one (0600)
      status.json         the current status or the end of the task; replaced in one step
      events.jsonl        public facts in order (only allowed fields)
      process.json        process id and start time of the worker
      cancel              exists after a request to stop
      lock                held by the worker until it ends
      fault.json          after a fault of the program: its type and lines of code, without the message
      where.json          the machine or worker that does the task, if it may be another machine
      given/, made/       public files that a public task reads, and public files that it writes

The folder of a task that uses budget also has:

      vault.json          a key and the private file's fingerprint under it (0600), see `reading.vault`
      other-people        exists after the steward's confirmation, see `jobs.released_files`

The folder of a run also has:

      spec.json           the order of the run (0600; the only file that names the private file)
      fits/               results of the fits between rounds (0600), until the run is done or discarded, see
                          `jobs.kept_fits`; public, because they are computed from noisy measurements

Only a spec or an order contains a path. No file in the folder of a run contains a row, a row count or a value
of the private file.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from synth.app.jobs.process import Process
from synth.app.jobs.spec import RUN_ID, RunSpec, is_made, place_of
from synth.core.documents import read_as
from synth.core.errors import Mistake
from synth.core.progress import Progress
from synth.core.system.places import home, made


class State(StrEnum):
    """The state of a task. The last five states are final, and a run can be resumed after all of them except
    `done`. A `paused` run waited too long for the ledger.
    """

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    PAUSED = "paused"
    FAILED = "failed"
    LOST = "lost"

    @property
    def is_end(self) -> bool:
        return self not in (State.QUEUED, State.RUNNING)


@dataclass(frozen=True, kw_only=True)
class Event(Progress):
    """A public fact. `at` is the time in UTC to the second, because more precise times could reveal private
    facts.
    """

    at: str

    def facts(self) -> dict[str, Any]:
        """Return the fields that are not None, as plain types."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class Status:
    """The current or final status of a task.

    `spent`, `reserved`, `requested`, `left` and `missing` are in ledger units (1e-12 rho), or None while
    unknown. `exit_code` is for the command line. `place` is the position in the queue, or 0 if the task is
    not waiting.
    """

    state: State
    stage: str = ""
    done: float = 0.0
    fact: str = ""
    place: int = 0
    code: str = ""
    sentence: str = ""
    exit_code: int = 0
    reference: str = ""
    spent: int | None = None
    reserved: int | None = None
    requested: int | None = None
    left: int | None = None
    missing: int | None = None
    at: str = ""

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @staticmethod
    def from_json(text: str) -> Status:
        """Return the status described by a document from `to_json`. Unknown fields of later versions are
        ignored.
        """
        document = json.loads(text)
        names = {f.name for f in fields(Status)}
        return read_as(Status, {name: value for name, value in document.items() if name in names})


def now() -> str:
    """Return the current time in UTC, to the second."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


@dataclass(frozen=True)
class Task:
    """A task with its folder and its kind (a name in `kinds.KINDS`).

    The methods read or write files in the folder without caching them.
    """

    folder: Path
    kind: str

    @property
    def exists(self) -> bool:
        """True if the task was started."""
        return (self.folder / "status.json").is_file()

    def keep(self, name: str, text: str) -> None:
        """Write a file in the folder (0600) in one step."""
        write(self.folder / name, text)

    def write_order(self, order: Mapping[str, Any]) -> None:
        self.keep("order.json", json.dumps(order))

    def order(self) -> dict[str, Any]:
        """Return the order."""
        return self._read("order.json") or {}

    def write_answer(self, answer: Mapping[str, Any] | None) -> None:
        """Store the result if there is one."""
        if answer is not None:
            self.keep("answer.json", json.dumps(answer, allow_nan=False))

    def answer(self) -> dict[str, Any] | None:
        """Return the result, or None if there is none yet."""
        return self._read("answer.json")

    @property
    def given(self) -> Path:
        """The folder of the public files that a public task reads."""
        return self.folder / "given"

    @property
    def made(self) -> Path:
        """The folder of the public files that a public task writes."""
        return self.folder / "made"

    def say_where(self, words: str) -> None:
        """Write the name of the machine or worker that does the task."""
        self.keep("where.json", json.dumps({"on": words}))

    def where(self) -> str:
        """Return the name of the machine or worker that does the task, or "" if it is unknown."""
        return str((self._read("where.json") or {}).get("on", ""))

    @property
    def vault(self) -> Path:
        """The path of the file that ensures that a second reading of the private file uses the same rows as
        the first.
        """
        return self.folder / "vault.json"

    def say_other_people(self) -> None:
        """Record that the people of this run are in no release of another population.

        This is never published, because it reveals that the file equals another one.
        """
        _touch(self.folder / "other-people")

    def accept_unfit(self) -> None:
        """Record that the run continues although cells do not fit their declaration."""
        _touch(self.folder / "accepts-unfit")

    @property
    def accepts_unfit(self) -> bool:
        return (self.folder / "accepts-unfit").exists()

    @property
    def has_other_people(self) -> bool:
        return (self.folder / "other-people").exists()

    def forget(self) -> None:
        """Remove all files of an earlier task in this folder."""
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if path.is_file():
                path.unlink(missing_ok=True)

    @property
    def lock(self) -> Path:
        return self.folder / "lock"

    def status(self) -> Status:
        """Return the last written status. `runner.status` also notices dead workers."""
        return Status.from_json((self.folder / "status.json").read_text())

    def write_status(self, status: Status) -> None:
        write(self.folder / "status.json", status.to_json(), durable=status.state.is_end)

    def add_event(self, event: Event) -> None:
        append_line(self.folder / "events.jsonl", event.facts(), durable=False)

    def events(self, *, skip: int = 0) -> Iterator[Event]:
        """Yield the events so far, except the first `skip` events and an incomplete last line."""
        path = self.folder / "events.jsonl"
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        for line in lines[skip:]:
            yield Event(**json.loads(line))

    def write_process(self, process: Process) -> None:
        self.keep("process.json", json.dumps(asdict(process)))

    def process(self) -> Process | None:
        process = self._read("process.json")
        return Process(**process) if process is not None else None

    def ask_to_stop(self) -> None:
        """Request a stop between two steps. Only the first request has an effect."""
        if not self.is_asked_to_stop():
            _touch(self.folder / "cancel")

    def is_asked_to_stop(self) -> bool:
        return (self.folder / "cancel").exists()

    def stopping_for(self) -> float:
        """Return the seconds since a stop was requested, or 0 without a request."""
        return _age(self.folder / "cancel") or 0.0

    def forget_worker(self) -> None:
        """Remove the process ID of the last worker and any request to stop it."""
        for name in ("process.json", "cancel"):
            (self.folder / name).unlink(missing_ok=True)

    def age(self) -> float | None:
        """Return the seconds since the status was written, or None if there is no status."""
        return _age(self.folder / "status.json")

    def fault(self) -> dict[str, Any] | None:
        """Return the type and code lines of a fault of the program, for a bug report."""
        return self._read("fault.json")

    def _read(self, name: str) -> dict[str, Any] | None:
        """Return the content of a JSON file in the folder, or None if it does not exist."""
        path = self.folder / name
        return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else None


@dataclass(frozen=True)
class Job(Task):
    """A run, in its folder under HOME/jobs."""

    kind: str = "release"

    @staticmethod
    def create(spec: RunSpec) -> Job:
        """Create the folder of a run and write its spec.

        Raises: `Mistake` if the run exists, or as in `places.made`.
        """
        job = Job(made(home() / "jobs") / spec.run)
        try:
            job.folder.mkdir(mode=0o700)
        except FileExistsError:
            raise Mistake(f"The run {spec.run!r} already exists. Resume it, or choose another id.") from None
        job.keep("spec.json", spec.to_json())
        job.write_status(Status(state=State.QUEUED, at=now()))
        return job

    @staticmethod
    def find(run: str) -> Job:
        """Return the run with this ID. Raises: `Mistake` if there is none."""
        job = Job(home() / "jobs" / run)
        if not RUN_ID.fullmatch(run) or not (job.folder / "spec.json").is_file():
            raise Mistake(f"There is no run {run!r} on this machine. List the runs with: jobs list.")
        return job

    @staticmethod
    def all() -> list[Job]:
        """Return all runs, oldest first."""
        folder = home() / "jobs"
        jobs = [Job(p.parent) for p in folder.glob("*/spec.json")] if folder.is_dir() else []
        return sorted(jobs, key=lambda job: (job.folder.stat().st_ctime_ns, job.run))

    @property
    def run(self) -> str:
        return self.folder.name

    @property
    def fits(self) -> Path:
        """The folder for `KeptFits`."""
        return self.folder / "fits"

    def put_at(self, out: Path) -> None:
        """Change the folder of the bundle. No other field of a run may change."""
        self.keep("spec.json", replace(self.spec(), out=str(out)).to_json())

    def spec(self) -> RunSpec:
        return RunSpec.from_json((self.folder / "spec.json").read_text())


def placed(name: str) -> tuple[RunSpec, Path]:
    """Return the run of a table and the folder of its bundle. Raises: `Mistake` if there is none."""
    run, _, generator = name.rpartition("-")
    for job in Job.all():
        if job.run == name:
            return job.spec(), Path(job.spec().out)
        if job.run == run and is_made(job.spec(), generator):
            return job.spec(), place_of(job.spec(), generator)
    raise Mistake(f"There is no finished table {name!r} on this machine.")


def _age(path: Path) -> float | None:
    try:
        return max(time.time() - path.stat().st_mtime, 0.0)
    except FileNotFoundError:
        return None


def _touch(path: Path) -> None:
    """Create an empty file for its owner only, or update its time."""
    path.touch(mode=0o600)


def append_line(path: Path, fact: Mapping[str, Any], *, durable: bool = True) -> None:
    """Append a line of JSON to a file (0600). If `durable`, the line is on the disk when this function
    returns.
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "a", encoding="utf-8") as file:
        file.write(json.dumps(fact, sort_keys=True) + "\n")
        if durable:
            file.flush()
            os.fsync(file.fileno())


def write(path: Path, content: str | bytes, *, durable: bool = True) -> None:
    """Write a file for its owner only (0600) in one step, so that readers see either the old or the new
    content. If `durable`, this is also true after a power failure.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content.encode() if isinstance(content, str) else content)
            if durable:
                out.flush()
                os.fsync(out.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
