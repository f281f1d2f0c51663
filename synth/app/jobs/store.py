"""The folder of a task: readable by its owner alone, and true whenever it is read.

    FOLDER/               0700, HOME/jobs/RUN for a run, else in the project's folder
      order.json          what was asked, as its kind understands it (0600)
      answer.json         what came of it, where the kind has an answer (0600)
      status.json         where the run is or how it ended; replaced in one step
      events.jsonl        public facts in the order they came (allow-listed fields)
      process.json        process id and start time of the worker
      heartbeat           touched every two seconds by a living worker
      cancel              present once somebody asked to stop
      lock                held by the worker for its life
      fault.json          after a fault of the program: kind and place of it, no message
      where.json          who does the work, where that may be another machine
      given/, made/       public files a public task reads, and those it writes

A run's also has:

      spec.json           the frozen run (0600; the only file that names the private file), its order
      vault.json          a key and the private file's fingerprint under it (0600), see `reading.vault`
      other-people        present once the steward said so, see `jobs.released_files`
      fits/               what the fits between rounds ended with (0600), until the run is done or discarded,
                          see `jobs.kept_fits`; public, as it follows from noisy answers

Nothing but a spec or an order holds a path. Nothing in the folder of a run holds a row, a count of rows, or a
value of the file.
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
from synth.core.errors import Mistake
from synth.core.system.places import home, made


class State(StrEnum):
    """Where a task is. The last five are ends; a run can be resumed after all but `done`. A `paused` run gave
    up waiting for the ledger."""

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
    """One public fact, as `Progress`. `at` is UTC to the second: finer times would tell about the file."""

    at: str
    stage: str
    done: float
    fact: str
    steps: int | None = None
    loss: float | None = None

    def told(self) -> dict[str, Any]:
        """The fields as plain types, without a loss where none was told."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class Status:
    """Where a task is, or how it ended.

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
        names = {f.name for f in fields(Status)}
        kept = {name: value for name, value in document.items() if name in names}
        return Status(**kept | {"state": State(kept["state"])})


def now() -> str:
    """UTC, to the second."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


@dataclass(frozen=True)
class Task:
    """A piece of work: the folder it is done in, and its kind, a name in `kinds.KINDS`.

    Every method reads or writes the disk; nothing is remembered.
    """

    folder: Path
    kind: str

    @property
    def exists(self) -> bool:
        """Whether it was begun."""
        return (self.folder / "status.json").is_file()

    def keep(self, name: str, text: str) -> None:
        """Write a file of the folder (0600) so that a reader sees the old one or the new one."""
        write(self.folder / name, text)

    def write_order(self, order: Mapping[str, Any]) -> None:
        self.keep("order.json", json.dumps(order))

    def order(self) -> dict[str, Any]:
        """What was asked."""
        return self._read("order.json") or {}

    def answer(self) -> dict[str, Any] | None:
        """What came of it; None before it is done."""
        return self._read("answer.json")

    @property
    def given(self) -> Path:
        """Public files that a public task reads."""
        return self.folder / "given"

    @property
    def made(self) -> Path:
        """What a public task writes."""
        return self.folder / "made"

    def say_where(self, words: str) -> None:
        """Who does the work: this machine, or a worker by its name."""
        self.keep("where.json", json.dumps({"on": words}))

    def where(self) -> str:
        """What was said of that last; empty before."""
        return str((self._read("where.json") or {}).get("on", ""))

    def forget(self) -> None:
        """Remove all traces of what was done here."""
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if path.is_file():
                path.unlink(missing_ok=True)

    @property
    def lock(self) -> Path:
        return self.folder / "lock"

    def status(self) -> Status:
        """What the last writer said; `runner.status` also notices the dead."""
        return Status.from_json((self.folder / "status.json").read_text())

    def write_status(self, status: Status) -> None:
        write(self.folder / "status.json", status.to_json(), durable=status.state.is_end)

    def add_event(self, event: Event) -> None:
        line = json.dumps(event.told(), sort_keys=True)
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
        self.keep("process.json", json.dumps(asdict(process)))

    def process(self) -> Process | None:
        process = self._read("process.json")
        return Process(**process) if process is not None else None

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

    def forget_worker(self) -> None:
        """Forget who worked here last, and that somebody asked it to stop."""
        for name in ("process.json", "cancel"):
            (self.folder / name).unlink(missing_ok=True)

    def age(self) -> float | None:
        """Seconds since the status was written, None if it was not."""
        return _age(self.folder / "status.json")

    def write_fault(self, fault: dict[str, Any]) -> None:
        """Kind and place of a fault of the program; never its message."""
        self.keep("fault.json", json.dumps(fault, indent=1))

    def fault(self) -> dict[str, Any] | None:
        """What `write_fault` wrote, for whoever repairs the program."""
        return self._read("fault.json")

    def _read(self, name: str) -> dict[str, Any] | None:
        """A JSON file of the folder, None if it is not there."""
        path = self.folder / name
        return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else None


@dataclass(frozen=True)
class Job(Task):
    """A run, in its folder of the job store."""

    kind: str = "release"

    @staticmethod
    def create(spec: RunSpec) -> Job:
        """A new folder with the spec inside. Raises: `Mistake` if the run exists, or as `places.made`."""
        job = Job(made(home() / "jobs") / spec.run)
        try:
            job.folder.mkdir(mode=0o700)
        except FileExistsError:
            raise Mistake(f"The run {spec.run!r} exists already. Resume it, or choose another id.") from None
        job.keep("spec.json", spec.to_json())
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
        jobs = [Job(p.parent) for p in folder.glob("*/spec.json")] if folder.is_dir() else []
        return sorted(jobs, key=lambda job: (job.folder.stat().st_ctime_ns, job.run))

    @property
    def run(self) -> str:
        return self.folder.name

    @property
    def vault(self) -> Path:
        """Where the run keeps what makes a second opening of its file the same as the first."""
        return self.folder / "vault.json"

    @property
    def fits(self) -> Path:
        """Where the run keeps what the fits between its rounds ended with."""
        return self.folder / "fits"

    def say_other_people(self) -> None:
        """The steward says that no table of this run's people was released under another population.

        Never published: it tells that the file equals another one.
        """
        _private(self.folder / "other-people").touch()

    @property
    def has_other_people(self) -> bool:
        return (self.folder / "other-people").exists()

    def put_at(self, out: Path) -> None:
        """Have the bundle put at another place: the one thing of a run that may change."""
        self.keep("spec.json", replace(self.spec(), out=str(out)).to_json())

    def spec(self) -> RunSpec:
        return RunSpec.from_json((self.folder / "spec.json").read_text())


def placed(name: str) -> tuple[RunSpec, Path]:
    """The run behind a table's name, and where its bundle lies. Raises: `Mistake` if there is no such run."""
    run, _, generator = name.rpartition("-")
    for job in Job.all():
        if job.run == name:
            return job.spec(), Path(job.spec().out)
        if job.run == run and is_made(job.spec(), generator):
            return job.spec(), place_of(job.spec(), generator)
    raise Mistake(f"There is no finished table {name!r} here.")


def _age(path: Path) -> float | None:
    try:
        return max(time.time() - path.stat().st_mtime, 0.0)
    except FileNotFoundError:
        return None


def _private(path: Path, flags: int = 0) -> Path:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | flags, 0o600))
    return path


def write(path: Path, text: str, *, durable: bool = True) -> None:
    """Write a file for its owner alone (0600) in one step: a reader sees the old one or the new one, even
    after a power cut if durable."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w") as out:
        out.write(text)
        if durable:
            out.flush()
            os.fsync(out.fileno())
    draft.replace(path)
