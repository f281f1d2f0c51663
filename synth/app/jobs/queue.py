"""One run at a time per machine and home folder, first come first served.

A waiting worker leaves a ticket; the ticket of a dead worker counts for nothing. The slot itself is a lock
of the operating system, so it is free the moment its holder is gone.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from synth.app.jobs.locks import hold, is_held
from synth.app.jobs.store import Task
from synth.core.system.places import home, made

_POLL_SECONDS = 0.1


@contextlib.contextmanager
def turn(task: Task, *, waiting: Callable[[int], None]) -> Iterator[None]:
    """Wait for the slot and keep it for the block; the caller holds the task's own lock.

    `waiting(place)` is called on every look at the queue with the number of runs ahead (at least 1); what
    it raises ends the waiting, and the ticket is taken back.
    """
    folder = made(home() / "queue")
    for left_over in folder.glob(f"*.{task.folder.name}"):
        left_over.unlink(missing_ok=True)  # of a killed worker of this run, whose lock we hold now
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
    """How many living workers hold an earlier ticket; clears away those of the dead."""
    count = 0
    for other in sorted(ticket.parent.glob("*.*")):
        if other.name >= ticket.name:
            continue
        if is_held(home() / "jobs" / other.name.split(".", 1)[1] / "lock"):
            count += 1
        else:
            other.unlink(missing_ok=True)
    return count
