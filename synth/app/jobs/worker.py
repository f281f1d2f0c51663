"""Run the process of one task: `python -m synth.app.jobs.worker KIND FOLDER`.

The process holds the task's lock until it ends. It waits for its turn if the kind requires this, runs the
order, stores the result, and writes the final status. It prints nothing.

`python -m synth.app.jobs.worker KIND` reads its order from a pipe, prints the result, and writes nothing to
the disk.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from synth.app.jobs.hardening import fault, fresh_reference, harden
from synth.app.jobs.heartbeat import heed, leashed, tell, terminable
from synth.app.jobs.kind import TaskKind
from synth.app.jobs.kinds import KINDS
from synth.app.jobs.locks import hold, is_held
from synth.app.jobs.process import Process
from synth.app.jobs.store import State, Status, Task, now
from synth.core.errors import (
    BudgetRefused,
    Cancelled,
    Code,
    MarginaliaError,
    Refusal,
    Unfit,
    is_disk_full,
)
from synth.core.progress import silent
from synth.core.system.fixed import collect_rarely
from synth.core.system.places import home, made

_POLL_SECONDS = 0.1


def main(arguments: list[str] | None = None) -> int:
    """Run the process. Return the exit code of the final status, or 0 if another worker has the task."""
    harden()
    collect_rarely()
    name, *folder = sys.argv[1:] if arguments is None else arguments
    kind = KINDS[name]
    with contextlib.suppress(OSError):
        os.nice(kind.niceness)
    return run(Task(Path(*folder), name), kind) if folder else answer(name, kind)


def run(task: Task, kind: TaskKind) -> int:
    """Lock the task, do the work, and write the final status. Return the exit code."""
    with hold(task.lock, patience=2.0) as is_ours:
        if not is_ours:
            return 0
        task.write_process(Process.of(os.getpid()))
        with leashed(), terminable(task):
            end = _attempt(task, kind)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # too late to stop: the end is being written
            with contextlib.suppress(MarginaliaError):
                spent, reserved = kind.charges(task)
                end = replace(end, spent=spent, reserved=reserved)
            if end.state is not State.DONE:
                last = task.status()
                end = replace(end, stage=last.stage, done=last.done, fact=last.fact)
            task.write_status(end)
        return end.exit_code


def _attempt(task: Task, kind: TaskKind) -> Status:
    try:
        with _turn(task) if kind.queues else contextlib.nullcontext():
            task.write_status(Status(state=State.RUNNING, at=now()))
            kept = kind.work(task, lambda progress: tell(task, progress))
        task.write_answer(kept)
        return Status(state=State.DONE, done=1.0, stage="done", at=now())
    except MarginaliaError as error:
        return _ended_by(task, kind, error)
    except Exception as error:
        if is_disk_full(error):
            return _ended_by(task, kind, Refusal(Code.DISK_FULL))
        reference = fresh_reference()
        with contextlib.suppress(OSError):
            task.keep("fault.json", json.dumps(fault(error, reference), indent=1))
        return replace(_ended_by(task, kind, Refusal(Code.INTERNAL)), exit_code=1, reference=reference)


def _ended_by(task: Task, kind: TaskKind, error: MarginaliaError) -> Status:
    """Return the final status for an error. A refusal after a request to stop counts as a stop."""
    end = Status(
        state=State.FAILED, code=error.code, sentence=str(error), exit_code=error.exit_code, at=now()
    )
    if isinstance(error, Cancelled) or (isinstance(error, Refusal) and task.is_asked_to_stop()):
        code, exit_code = Cancelled.code, Cancelled.exit_code
        return replace(end, state=State.CANCELLED, code=code, sentence=kind.stopped, exit_code=exit_code)
    if error.code == Code.LEDGER_BUSY and kind.paused:
        return replace(end, state=State.PAUSED, sentence=kind.paused, exit_code=Cancelled.exit_code)
    if isinstance(error, Unfit):
        return replace(end, state=State.PAUSED)
    if error.code == Code.INTERNAL:
        return replace(end, sentence=kind.failed)
    if isinstance(error, BudgetRefused):
        return replace(end, requested=error.requested, left=error.left, missing=error.missing)
    return end


def _turn(task: Task) -> contextlib.AbstractContextManager[None]:
    def wait(place: int) -> None:
        heed(task)
        if task.status().place != place:
            task.write_status(Status(state=State.QUEUED, place=place, at=now()))

    return turn(task, waiting=wait)


@contextlib.contextmanager
def turn(task: Task, *, waiting: Callable[[int], None]) -> Iterator[None]:
    """Wait for the slot in which runs work, and hold it during the block.

    Each home has one slot, so only one run works at a time, in order of arrival. The caller holds the task's
    own lock.

    A waiting worker has a ticket. Tickets of dead workers are removed. The slot itself is a lock of the
    operating system, so it is free as soon as the process that holds it ends. `waiting(place)` is called
    regularly with the number of runs ahead (at least 1). If it raises an exception, the wait ends.
    """
    folder = made(home() / "queue")
    for left_over in folder.glob(f"*.{task.folder.name}"):
        left_over.unlink(missing_ok=True)  # from a killed worker of this run, whose lock the caller holds now
    ticket = folder / f"{time.time_ns():020d}.{task.folder.name}"
    ticket.touch(mode=0o600)
    try:
        while True:
            ahead = _ahead(ticket)
            if not ahead:
                with hold(folder / "slot") as free:
                    if free:
                        yield
                        return
            waiting(max(ahead, 1))
            time.sleep(_POLL_SECONDS)
    finally:
        ticket.unlink(missing_ok=True)


def _ahead(ticket: Path) -> int:
    """Return the number of live workers with an earlier ticket, and remove the tickets of dead workers."""
    count = 0
    for other in sorted(ticket.parent.glob("*.*")):
        if other.name >= ticket.name:
            continue
        if is_held(home() / "jobs" / other.name.split(".", 1)[1] / "lock"):
            count += 1
        else:
            other.unlink(missing_ok=True)
    return count


@dataclass(frozen=True)
class _AskedTask(Task):
    """A task whose order comes from a pipe. It has no folder, so any attempt to write a file fails."""

    order_given: dict[str, Any]

    def order(self) -> dict[str, Any]:
        return self.order_given


def answer(name: str, kind: TaskKind) -> int:
    """Run the order from the pipe, and print the result or the code of the refusal."""
    try:
        reply = kind.work(_AskedTask(Path(os.devnull), name, json.load(sys.stdin)), silent)
    except Refusal as refusal:
        reply = {"code": refusal.code}
    sys.stdout.write(json.dumps(reply))
    return 0


if __name__ == "__main__":
    sys.exit(main())
