"""Post public tasks in a shared folder, from which a worker takes them (`marginalia worker`)."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synth.app.jobs.elsewhere.carrying import json_of, text_of
from synth.app.jobs.elsewhere.executor import STAGE, Executor, Notify
from synth.app.jobs.elsewhere.parcels import DONE, Parcels
from synth.app.jobs.kind import TaskKind
from synth.app.jobs.store import Event, Task
from synth.core.errors import Mistake
from synth.core.progress import Progress, Reporter
from synth.core.system.version import __version__

POLL_SECONDS = 0.5
WAITING = "waiting for a worker to take it from the shared folder"
AGAIN = "its worker stopped responding; another worker starts it again"
GONE = "The task was removed from the shared folder. Start it again."


@dataclass(frozen=True)
class SharedFolder(Executor):
    """An executor that runs tasks through a shared folder.

    If this process is killed while it waits, the next task with the same order and files fetches the result.
    """

    folder: Path
    title = "a worker on the shared folder"

    def _do(self, task: Task, kind: TaskKind, wants: str, report: Reporter, on: Notify) -> dict[str, Any]:
        if not self.folder.is_dir():
            raise Mistake(
                f"There is no shared folder {str(self.folder)!r}. Mount or create it, then start again."
            )
        parcels = Parcels(self.folder)
        parcels.set_up()
        name = parcels.name_for(task)
        try:
            parcels.post(task, wants=wants, program=__version__, name=name)
            _watch(parcels, name, report, on)
        except BaseException:
            parcels.ask_to_stop(name)
            raise
        end = json_of(parcels.root / DONE / name / "status.json") or {}
        parcels.fetch(name, task)
        parcels.forget(name)
        return end


def _watch(parcels: Parcels, name: str, report: Reporter, on: Notify) -> None:
    """Report the progress of a parcel until it ends.

    Raises: the exceptions of `report`, and `Mistake` if the parcel was removed.
    """
    seen, by = 0, ("", "")
    report(Progress(stage=STAGE, done=0.0, fact=WAITING))
    while True:
        place = parcels.whereabouts(name)
        if place is None:
            raise Mistake(GONE)
        holder = parcels.holder(place)
        if holder is not None and holder != by:
            if any(by):
                report(Progress(stage=STAGE, done=0.0, fact=AGAIN))
            by, seen = holder, 0
            on(f"worker {holder[0]}")
        events = _events(place)
        for event in events[seen:]:
            report(event)
        seen = max(seen, len(events))
        if place.parent.name == DONE:
            return
        time.sleep(POLL_SECONDS)


def _events(place: Path) -> list[Event]:
    """Return the events so far, or an empty list if the file contains anything else."""
    lines = (text_of(place / "events.jsonl") or "").splitlines()
    try:
        return [Event(**json.loads(line)) for line in lines]
    except (TypeError, ValueError):
        return []
