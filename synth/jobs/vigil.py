"""What every worker does besides its work: tell public facts, show signs of life, stop when asked."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from synth.errors import Cancelled
from synth.jobs.store import HEARTBEAT_SECONDS, Event, State, Status, Workplace, now

if TYPE_CHECKING:
    from synth.progress import Progress


def tell(place: Workplace, progress: Progress) -> None:
    """Write a public fact down; between two steps is also where the work stops when asked to."""
    event = Event(at=now(), stage=progress.stage, done=round(progress.done, 4), fact=progress.fact)
    place.add_event(event)
    place.write_status(
        Status(state=State.RUNNING, stage=event.stage, done=event.done, fact=event.fact, at=event.at)
    )
    if place.is_asked_to_stop():
        raise Cancelled("The work was stopped.")


@contextmanager
def heart(place: Workplace) -> Iterator[None]:
    """Touch the heartbeat from a thread of its own for as long as the block lasts."""
    stop = threading.Event()

    def beat() -> None:
        place.beat()
        while not stop.wait(HEARTBEAT_SECONDS):
            place.beat()

    thread = threading.Thread(target=beat, name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@contextmanager
def terminable(place: Workplace) -> Iterator[None]:
    """SIGTERM means: stop at the next line of Python, write the end, go."""

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        place.ask_to_stop()
        raise Cancelled("The work was stopped.")

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
