"""The interface of executors of public tasks, and the executor that works in the calling process.

The module `choice` selects the executor.
"""

from __future__ import annotations

import shutil
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from synth.app.jobs.executor import LocalProcesses
from synth.app.jobs.kind import TaskKind
from synth.app.jobs.store import State, Status, Task, now
from synth.core.errors import Cancelled, Code, MarginaliaError, Mistake, Refusal
from synth.core.progress import Reporter, silent

STAGE = "elsewhere"
"""Name of the stage in which a task waits for a worker."""

CARD = "cuda"
"""Value of `wants` for a task that runs faster on a graphics card. Any other value has no effect."""

NO_CARD = "no worker has a graphics card; computing on cpu"
PUBLIC_ONLY = (
    "A task of the kind {kind!r} may read a private file, so no other machine can do it. Start it on the "
    "machine that has the file, and set the executor to here."
)
POLL_SECONDS = 0.2
PATIENCE_SECONDS = 10.0
"""Seconds to wait after a request to stop a process before it is killed."""


class Lost(MarginaliaError):
    """The worker of a task ended without a report."""

    exit_code = 6
    code = "lost"


def ignore(*_: object) -> None:
    """Ignore a report."""


Notify = Callable[[str], object]
"""A function that gets the name of the worker of a task."""


class Executor(ABC):
    """An executor of public tasks."""

    title: str
    """Name of the machine, as shown on pages."""

    def do(
        self,
        task: Task,
        kind: TaskKind,
        *,
        report: Reporter = silent,
        wants: str = "",
        on: Notify = ignore,
    ) -> None:
        """Run a prepared task, and return when its results are in its folder.

        `report` is called with the public facts of the task. If it raises an exception, the task stops.
        `wants` is `CARD` for a task that prefers a machine with a graphics card.

        Raises: `Mistake` for a kind that is not public, or with the message of a task that failed with a
        `Mistake`; `Refusal` for a fault of the program; `Cancelled`; `Lost`.
        """
        check_public(task.kind, kind)
        end = self._do(task, kind, wants, report, on)
        if end is not None:
            raise_end(end, kind)
            kind.accept(task)

    @abstractmethod
    def _do(
        self, task: Task, kind: TaskKind, wants: str, report: Reporter, on: Notify
    ) -> Mapping[str, Any] | None:
        """Run the task. Return the outcome that another machine reported, or None if this process ran the
        task.
        """


class Here(Executor):
    """An executor that runs tasks in the calling process. If that process is killed, the task ends too, and
    `runner` reports this.
    """

    title = "this machine"

    def _do(self, task: Task, kind: TaskKind, wants: str, report: Reporter, on: Notify) -> None:
        on(self.title)
        task.write_answer(kind.work(task, report))


def check_public(name: str, kind: TaskKind | None) -> None:
    """Check that a kind of task is public. Raises: `Mistake` for a kind that is unknown or not declared
    public.
    """
    if kind is None or not kind.is_public:
        raise Mistake(PUBLIC_ONLY.format(kind=name))


def prepared(folder: Path, kind: str, *, order: Mapping[str, Any], files: Mapping[str, Path | bytes]) -> Task:
    """Prepare a public task in its own folder, with its order and the public files that it reads.

    Raises: `Mistake` if the order contains a path of this machine.
    """
    for word in _texts(order):
        if Path(word).is_absolute():
            raise Mistake(f"A public task contains the path {word!r} of this machine.")
    task = Task(folder, kind)
    folder.mkdir(mode=0o700, parents=True)
    task.write_order(order)
    for name, source in files.items():
        target = task.given / name
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if isinstance(source, bytes):
            target.write_bytes(source)
            continue
        try:
            target.hardlink_to(source)
        except OSError:
            shutil.copyfile(source, target)
    return task


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for pair in value.items() for part in pair for text in _texts(part)]
    return [text for part in value for text in _texts(part)] if isinstance(value, list | tuple) else []


def attend(task: Task, *, entry: str, tick: Callable[[Status], bool]) -> Status:
    """Run a task in its own process on this machine, and return its final status.

    `tick` is called regularly with the status and returns True to continue. Once it has returned False, it is
    not called again. If it raises an exception, the process ends.
    """
    processes = LocalProcesses(worker=entry, leash=True, public=True)
    task.write_status(Status(state=State.QUEUED, at=now()))
    processes.start(task)
    stopped_at: float | None = None
    try:
        while True:
            processes.clear(task)
            is_alive = processes.is_alive(task)
            last = task.status()
            if last.state.is_end:
                return last
            if not is_alive:
                is_stopped = task.is_asked_to_stop()
                state, code = (State.CANCELLED, Cancelled.code) if is_stopped else (State.LOST, Lost.code)
                return replace(last, state=state, code=code, at=now())
            if stopped_at is None and not tick(last):
                stopped_at = time.monotonic()
                task.ask_to_stop()
                processes.stop(task)
            if stopped_at is not None and time.monotonic() - stopped_at > PATIENCE_SECONDS:
                processes.stop(task, force=True)
            time.sleep(POLL_SECONDS)
    finally:
        processes.stop(task, force=True)
        processes.clear(task)


def raise_end(end: Mapping[str, Any], kind: TaskKind) -> None:
    """Raise the error with which another machine ended a task, if there was one.

    Raises: `Mistake` with the reported message; `Refusal` for a refusal code or a fault of the program;
    `Cancelled`; `Lost`.
    """
    state, code, sentence = (str(end.get(name, "")) for name in ("state", "code", "sentence"))
    errors: dict[str, MarginaliaError] = {
        State.CANCELLED: Cancelled(kind.stopped),
        State.LOST: Lost(kind.lost),
        State.FAILED: Refusal(Code(code)) if code in set(Code) else Mistake(sentence),
    }
    if state != State.DONE:
        raise errors.get(state, Refusal(Code.INTERNAL))
