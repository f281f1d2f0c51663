"""What a worker of a Dask cluster does with a public task: it is done in a process of its own there, too."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from distributed import Event, get_worker

from synth.app.jobs.elsewhere.attending import attend
from synth.app.jobs.elsewhere.carrying import contents_below, lay_down
from synth.app.jobs.store import Task


def stop_of(topic: str) -> str:
    """The name of the event by which whoever waits says that nobody waits any more."""
    return f"{topic}-stop"


def do(
    kind: str, order: Mapping[str, Any], given: Mapping[str, bytes], *, topic: str, entry: str
) -> dict[str, Any]:
    """Do a task; its end, and what it made. Public facts go to the scheduler under `topic` as they come."""
    worker, stop, told = get_worker(), Event(stop_of(topic)), 0
    with tempfile.TemporaryDirectory(prefix="marginalia-") as scratch:
        task = Task(Path(scratch) / "task", kind)
        task.folder.mkdir(mode=0o700)
        task.write_order(order)
        lay_down(given, task.given)

        def tell() -> None:
            nonlocal told
            for event in task.events(skip=told):
                told += 1
                worker.log_event(topic, {"by": str(worker.name), "event": event.told()})

        def tick(_: object) -> bool:
            tell()
            return not stop.is_set()

        end = attend(task, entry=entry, tick=tick)
        tell()
        return {
            "status": json.loads(json.dumps(asdict(end))),
            "answer": task.answer(),
            "fault": task.fault(),
            "made": contents_below(task.made),
        }
