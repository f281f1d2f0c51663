"""A task in a process of its own on this machine, watched for whoever waits for it elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from synth.app.jobs.elsewhere.executor import Lost
from synth.app.jobs.executor import LocalProcesses
from synth.app.jobs.kind import TaskKind
from synth.app.jobs.store import State, Status, Task, now
from synth.core.errors import Cancelled, Code, MarginaliaError, Mistake, Refusal

POLL_SECONDS = 0.2
PATIENCE_SECONDS = 10.0
"""Between telling the process to stop and ending it."""


def attend(task: Task, *, entry: str, tick: Callable[[Status], bool]) -> Status:
    """Have the task done and return its end. `tick` is told now and then how it stands, and says whether to
    go on; it is told nothing more after it has said no. What it raises ends the process."""
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
                return _end_of_the_dead(task)
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


def _end_of_the_dead(task: Task) -> Status:
    last = task.status()  # it may have ended while we looked
    if last.state.is_end:
        return last
    state, code = (State.CANCELLED, Cancelled.code) if task.is_asked_to_stop() else (State.LOST, Lost.code)
    return replace(last, state=state, code=code, at=now())


def raise_end(end: Mapping[str, Any], kind: TaskKind) -> None:
    """Raise what another machine's end stands for; nothing for a task that is done.

    Raises: `Mistake` with the sentence, `Refusal` for a fixed one or a fault, `Cancelled`, `Lost`.
    """
    state, code, sentence = (str(end.get(name, "")) for name in ("state", "code", "sentence"))
    errors: dict[str, MarginaliaError] = {
        State.CANCELLED: Cancelled(kind.stopped),
        State.LOST: Lost(kind.lost),
        State.FAILED: Refusal(Code(code)) if code in set(Code) else Mistake(sentence),
    }
    if state != State.DONE:
        raise errors.get(state, Refusal(Code.INTERNAL))
