"""Report the public facts of a worker, and stop the worker on request."""

from __future__ import annotations

import math
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from synth.app.jobs.store import Event, State, Status, Task, now
from synth.core.errors import Cancelled
from synth.core.progress import Progress

_WATCH_SECONDS = 2.0
LEASH = "MARGINALIA_LEASH"
"""Environment variable with the process ID of the parent, for a worker that must not outlive its parent."""
_LAST_WORDS_SECONDS = 10.0
STOPPED = "The work was stopped."


def tell(task: Task, progress: Progress) -> None:
    """Write a public fact. Raises: `Cancelled` if a stop was requested."""
    is_number = progress.loss is not None and math.isfinite(progress.loss)
    loss = progress.loss if is_number else None
    event = Event(**vars(progress) | {"at": now(), "done": round(progress.done, 4), "loss": loss})
    task.add_event(event)
    task.write_status(
        Status(state=State.RUNNING, stage=event.stage, done=event.done, fact=event.fact, at=event.at)
    )
    heed(task)


def heed(task: Task) -> None:
    """Stop the task if a stop was requested, and ignore the signal that may follow. Raises: `Cancelled`."""
    if task.is_asked_to_stop():
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and isinstance(signal.getsignal(signal.SIGTERM), _Stop):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it would interrupt the clean-up
        raise Cancelled(STOPPED)


@contextmanager
def leashed() -> Iterator[None]:
    """Watch the parent process from a thread during the block, if `LEASH` names one.

    When the parent ends, this worker is stopped. If it is still running ten seconds later, it is killed.
    """
    stop, starter = threading.Event(), os.environ.get(LEASH)

    def watch() -> None:
        while not stop.wait(_WATCH_SECONDS):
            if starter != str(os.getppid()):
                os.kill(os.getpid(), signal.SIGTERM)
                if not stop.wait(_LAST_WORDS_SECONDS):
                    os.killpg(0, signal.SIGKILL)
                return

    thread = threading.Thread(target=watch, name="leash", daemon=True)
    if starter is not None:
        thread.start()
    try:
        yield
    finally:
        stop.set()


@dataclass(frozen=True)
class _Stop:
    """The handler of SIGTERM during a task."""

    task: Task

    def __call__(self, number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self.task.ask_to_stop()
        raise Cancelled(STOPPED)


@contextmanager
def terminable(task: Task) -> Iterator[None]:
    """Make SIGTERM stop the task at the next line of Python by raising `Cancelled`."""
    before = signal.signal(signal.SIGTERM, _Stop(task))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
