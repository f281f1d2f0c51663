"""What every worker does besides its work: tell public facts, show signs of life, stop when asked."""

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

_HEARTBEAT_SECONDS = 2.0
LEASH = "MARGINALIA_LEASH"
"""Names, for a worker that is not to outlive its starter, the starter's process id."""
_LAST_WORDS_SECONDS = 10.0
STOPPED = "The work was stopped."


def tell(task: Task, progress: Progress) -> None:
    """Write a public fact down; between two steps is also where the work stops when asked to."""
    is_number = progress.loss is not None and math.isfinite(progress.loss)
    event = Event(
        at=now(),
        stage=progress.stage,
        done=round(progress.done, 4),
        fact=progress.fact,
        steps=progress.steps,
        loss=progress.loss if is_number else None,
    )
    task.add_event(event)
    task.write_status(
        Status(state=State.RUNNING, stage=event.stage, done=event.done, fact=event.fact, at=event.at)
    )
    heed(task)


def heed(task: Task) -> None:
    """Stop here if that was asked. The signal that may follow the asking would only cut short what is put in
    order on the way out, so it counts no more. Raises: `Cancelled`."""
    if task.is_asked_to_stop():
        handler, is_main = (
            signal.getsignal(signal.SIGTERM),
            threading.current_thread() is threading.main_thread(),
        )
        if isinstance(handler, _Stop) and is_main:
            handler.once()
        raise Cancelled(STOPPED)


@contextmanager
def beating(task: Task) -> Iterator[None]:
    """Touch the heartbeat from a thread of its own for as long as the block lasts; a worker whose starter is
    gone and who was not to outlive it (`LEASH`) is told to stop there, and ten seconds later ended."""
    stop = threading.Event()

    def beat() -> None:
        task.beat()
        while not stop.wait(_HEARTBEAT_SECONDS):
            if _is_abandoned():
                os.kill(os.getpid(), signal.SIGTERM)
                if not stop.wait(_LAST_WORDS_SECONDS):
                    os.killpg(0, signal.SIGKILL)
                return
            task.beat()

    thread = threading.Thread(target=beat, name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _is_abandoned() -> bool:
    starter = os.environ.get(LEASH)
    return starter is not None and int(starter) != os.getppid()


@dataclass(frozen=True)
class _Stop:
    """What SIGTERM means while a task is worked at."""

    task: Task

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.once()
        self.task.ask_to_stop()
        raise Cancelled(STOPPED)

    def once(self) -> None:
        """Only the first stop is one."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


@contextmanager
def terminable(task: Task) -> Iterator[None]:
    """SIGTERM means: stop at the next line of Python, write the end, go."""
    before = signal.signal(signal.SIGTERM, _Stop(task))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
