"""Public tasks posted into a shared folder, for whichever worker takes them (`marginalia worker`)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from synth import __version__
from synth.app.jobs.elsewhere.carrying import json_of, text_of
from synth.app.jobs.elsewhere.executor import STAGE, check_public, nobody, nothing, progress_of, raise_end
from synth.app.jobs.elsewhere.parcels import DONE, Parcels
from synth.app.jobs.kind import TaskKind
from synth.app.jobs.store import Event, Task
from synth.core.errors import Mistake
from synth.core.progress import Progress, Reporter, silent

POLL_SECONDS = 0.5
WAITING = "waiting for a worker to take it from the shared folder"
GONE = "The task is no longer in the shared folder: somebody removed it. Start it again."


@dataclass(frozen=True)
class SharedFolder:
    """An `Executor` by way of a folder.

    A task that this process did not live to see the end of is met again by the next one with the same order
    and files, and its answer fetched.
    """

    folder: Path

    @property
    def title(self) -> str:
        return "a worker on the shared folder"

    def do(
        self,
        task: Task,
        kind: TaskKind,
        *,
        report: Reporter = silent,
        wants: str = "",
        on: Callable[[str], object] = nobody,
        waiting: Callable[[], object] = nothing,
    ) -> None:
        check_public(task.kind, kind)
        if not self.folder.is_dir():
            raise Mistake(
                f"There is no folder {str(self.folder)!r} to share with workers. Mount it or make it."
            )
        parcels = Parcels(self.folder)
        parcels.set_up()
        name = parcels.name_for(task)
        try:
            parcels.post(task, wants=wants, program=__version__, name=name)
            self._watch(parcels, name, report=report, on=on, waiting=waiting)
        except BaseException:
            parcels.ask_to_stop(name)
            raise
        end = json_of(parcels.root / DONE / name / "status.json") or {}
        parcels.fetch(name, task)
        parcels.forget(name)
        raise_end(end, kind)
        kind.accept(task)

    def _watch(
        self,
        parcels: Parcels,
        name: str,
        *,
        report: Reporter,
        on: Callable[[str], object],
        waiting: Callable[[], object],
    ) -> None:
        """Tell how it stands until it has ended. Raises: what those told raise; `Mistake` if it is gone."""
        told, by = 0, ("", "")
        report(Progress(stage=STAGE, done=0.0, fact=WAITING))
        while True:
            place = parcels.whereabouts(name)
            if place is None:
                raise Mistake(GONE)
            holder = parcels.holder(place)
            if holder is not None and holder != by:
                if any(by):
                    lost = "its worker has not been heard of any more; another begins anew"
                    report(Progress(stage=STAGE, done=0.0, fact=lost))
                by, told = holder, 0
                on(f"worker {holder[0]}")
            events = _events(place)
            for event in events[told:]:
                report(progress_of(event))
            told = max(told, len(events))
            if place.parent.name == DONE:
                return
            waiting()
            time.sleep(POLL_SECONDS)


def _events(place: Path) -> list[Event]:
    """The facts so far; none of a text that is no list of facts."""
    lines = (text_of(place / "events.jsonl") or "").splitlines()
    try:
        return [Event(**json.loads(line)) for line in lines]
    except (TypeError, ValueError):
        return []
