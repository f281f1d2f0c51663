"""The job folder: one per run, readable by its owner alone, and true whenever it is read.

    HOME/jobs/RUN/        0700
      spec.json           the frozen run (0600; the only file that names the private file)
      status.json         where the run is or how it ended; replaced in one step
      events.jsonl        public facts in the order they came (allow-listed fields)
      process.json        process id and start time of the worker
      heartbeat           touched every two seconds by a living worker
      vault.json          a key and the private file's fingerprint under it (0600), see `reading.vault`
      other-people        present once the steward said so, see `jobs.known`
      cancel              present once somebody asked to stop
      lock                held by the worker for its life
      fault.json          after a fault of the program: kind and place of it, no message
      result/             the bundle, when the run was given no other place

Nothing but spec.json holds a path; nothing here holds a row, a count of rows, or a value of the file.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

from synth.errors import Mistake
from synth.jobs.locks import is_held
from synth.jobs.process import Process
from synth.jobs.spec import RUN_ID, RunSpec
from synth.places import home, made

HEARTBEAT_SECONDS = 2.0
STARTUP_SECONDS = 30.0  # how long a worker may take before it has written down its process id


class State(StrEnum):
    """Where a run is. The last five are ends; all but `done` can be resumed. A `paused` run gave up waiting
    for the ledger."""

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
class Event:
    """One public fact. `at` is UTC to the second: finer times would tell about the file."""

    at: str
    stage: str
    done: float
    fact: str


@dataclass(frozen=True, kw_only=True)
class Status:
    """Where a run is, or how it ended.

    Units: `spent`, `reserved`, `requested`, `left` and `missing` are ledger units (1e-12 rho), None while
    unknown. `exit_code` is the one a command line ends with; `place` is the place in the queue, 0 at work.
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
        """Inverse of `to_json`; unknown fields of a later version are left out."""
        document = json.loads(text)
        known = {f.name for f in fields(Status)}
        kept = {name: value for name, value in document.items() if name in known}
        return Status(**kept | {"state": State(kept["state"])})


def now() -> str:
    """UTC, to the second."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


@dataclass(frozen=True)
class Workplace:
    """A folder one worker works in. Every method reads or writes the disk; nothing is remembered."""

    folder: Path

    def keep(self, name: str, text: str) -> None:
        """Write a file of the folder (0600) so that a reader sees the old one or the new one."""
        _replace(self.folder / name, text)

    @property
    def lock(self) -> Path:
        return self.folder / "lock"

    def status(self) -> Status:
        """What the last writer said; `runner.status` also notices the dead."""
        return Status.from_json((self.folder / "status.json").read_text())

    def write_status(self, status: Status) -> None:
        _replace(self.folder / "status.json", status.to_json(), durable=status.state.is_end)

    def add_event(self, event: Event) -> None:
        line = json.dumps(asdict(event), sort_keys=True)
        with _private(self.folder / "events.jsonl", os.O_APPEND).open("a") as out:
            out.write(line + "\n")

    def events(self, *, skip: int = 0) -> Iterator[Event]:
        """The facts so far, without the first `skip`; a half-written last line is left for later."""
        path = self.folder / "events.jsonl"
        if not path.exists():
            return
        lines = path.read_text().split("\n")[:-1]
        for line in lines[skip:]:
            yield Event(**json.loads(line))

    def write_process(self, process: Process) -> None:
        _replace(self.folder / "process.json", json.dumps(asdict(process)))

    def process(self) -> Process | None:
        path = self.folder / "process.json"
        return Process(**json.loads(path.read_text())) if path.exists() else None

    def beat(self) -> None:
        """A sign of life."""
        _private(self.folder / "heartbeat").touch()

    def silence(self) -> float | None:
        """Seconds since the last sign of life, None before the first."""
        return _age(self.folder / "heartbeat")

    def ask_to_stop(self) -> None:
        """Write the sentinel the worker looks for between two steps; the first asking counts."""
        if not self.is_asked_to_stop():
            _private(self.folder / "cancel").touch()

    def is_asked_to_stop(self) -> bool:
        return (self.folder / "cancel").exists()

    def stopping_for(self) -> float:
        """Seconds since somebody asked to stop; 0 if nobody did."""
        return _age(self.folder / "cancel") or 0.0

    def forget_stop(self) -> None:
        (self.folder / "cancel").unlink(missing_ok=True)

    def is_alive(self) -> bool:
        """Whether a worker has this in hand, or has just been started for it."""
        if is_held(self.lock):
            return True
        process = self.process()
        if process is not None:
            return process.is_alive
        age = _age(self.folder / "status.json")
        return not self.status().state.is_end and age is not None and age < STARTUP_SECONDS

    def write_fault(self, fault: dict[str, Any]) -> None:
        """Kind and place of a fault of the program; never its message."""
        _replace(self.folder / "fault.json", json.dumps(fault, indent=1))

    def fault(self) -> dict[str, Any] | None:
        """What `write_fault` wrote, for whoever repairs the program."""
        path = self.folder / "fault.json"
        return dict(json.loads(path.read_text())) if path.exists() else None


@dataclass(frozen=True)
class Job(Workplace):
    """The folder of a run."""

    @staticmethod
    def create(spec: RunSpec) -> Job:
        """A new folder with the spec inside. Raises: `Mistake` if the run exists, or as `places.made`."""
        job = Job(made(home() / "jobs") / spec.run)
        try:
            job.folder.mkdir(mode=0o700)
        except FileExistsError:
            raise Mistake(f"The run {spec.run!r} exists already. Resume it, or choose another id.") from None
        _replace(job.folder / "spec.json", spec.to_json())
        job.write_status(Status(state=State.QUEUED, at=now()))
        return job

    @staticmethod
    def find(run: str) -> Job:
        """The folder of a run. Raises: `Mistake` if there is none."""
        job = Job(home() / "jobs" / run)
        if not RUN_ID.fullmatch(run) or not (job.folder / "spec.json").is_file():
            raise Mistake(f"There is no run {run!r} here. List the runs with: jobs list.")
        return job

    @staticmethod
    def all() -> list[Job]:
        """Every job folder, oldest first."""
        folder = home() / "jobs"
        found = [Job(p.parent) for p in folder.glob("*/spec.json")] if folder.is_dir() else []
        return sorted(found, key=lambda job: (job.folder.stat().st_ctime_ns, job.run))

    @property
    def run(self) -> str:
        return self.folder.name

    @property
    def result(self) -> Path:
        """Where the bundle goes if the run names no other place."""
        return self.folder / "result"

    @property
    def vault(self) -> Path:
        """Where the run keeps what makes a second opening of its file the same as the first."""
        return self.folder / "vault.json"

    def say_other_people(self) -> None:
        """The steward says that no table of this run's people was released under another population.

        Never published: it tells that the file equals another one.
        """
        _private(self.folder / "other-people").touch()

    @property
    def has_other_people(self) -> bool:
        return (self.folder / "other-people").exists()

    def spec(self) -> RunSpec:
        return RunSpec.from_json((self.folder / "spec.json").read_text())


def _age(path: Path) -> float | None:
    try:
        return max(time.time() - path.stat().st_mtime, 0.0)
    except FileNotFoundError:
        return None


def _private(path: Path, flags: int = 0) -> Path:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | flags, 0o600))
    return path


def _replace(path: Path, text: str, *, durable: bool = True) -> None:
    """Write in one step: a reader sees the old file or the new one, also after a power cut if durable."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w") as out:
        out.write(text)
        if durable:
            out.flush()
            os.fsync(out.fileno())
    draft.replace(path)
