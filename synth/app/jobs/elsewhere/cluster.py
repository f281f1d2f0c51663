"""Public tasks on a Dask cluster, by the library `distributed` (the extra `cluster`).

A cluster is trusted: its scheduler, its workers and anyone who reaches their ports can run code on these
machines. Files travel through the scheduler, in memory.
"""

from __future__ import annotations

import json
import secrets
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from distributed import Client, Event, Future, get_worker
from distributed.scheduler import KilledWorker

from synth.app.jobs.elsewhere.carrying import contents_below, lay_down
from synth.app.jobs.elsewhere.executor import (
    CARD,
    NO_CARD,
    STAGE,
    Executor,
    Listener,
    Lost,
    attend,
    progress_of,
)
from synth.app.jobs.kind import TaskKind
from synth.app.jobs.store import Event as Fact
from synth.app.jobs.store import Task
from synth.core.errors import Code, Mistake, Refusal
from synth.core.progress import Progress

POLL_SECONDS = 0.5
_CONNECT_SECONDS = 10.0
WAITING = "waiting for a worker of the cluster"
_NOT_REACHED = "The cluster at {address!r} does not answer. Check the address, and that its scheduler runs."


@dataclass(frozen=True)
class Cluster(Executor):
    """Does tasks by way of a scheduler. A worker with a graphics card is started with
    `dask worker --resources cuda=1`. A task whose worker dies is repeated by another, up to three times."""

    address: str
    entry: str = "synth.app.jobs.worker"
    title = "a worker of the cluster"

    def _do(self, task: Task, kind: TaskKind, wants: str, listener: Listener) -> dict[str, Any]:
        with self._client() as client:
            listener.report(Progress(stage=STAGE, done=0.0, fact=WAITING))
            has_card = wants == CARD and _has_card(client)
            if wants == CARD and not has_card:
                listener.report(Progress(stage=STAGE, done=0.0, fact=NO_CARD))
            order = task.order()
            if not has_card and order.get("device") == CARD:
                order["device"] = "cpu"
            topic = f"{task.kind}-{secrets.token_hex(8)}"
            future = client.submit(
                do,
                task.kind,
                order,
                contents_below(task.given),
                topic=topic,
                entry=self.entry,
                pure=False,
                resources={CARD: 1} if has_card else None,
            )
            try:
                _watch(client, future, topic, listener)
            except BaseException:
                Event(stop_of(topic), client=client).set()
                raise
            end = _result(future, kind)
        for name in ("answer", "fault"):
            if end[name] is not None:
                task.keep(f"{name}.json", json.dumps(end[name], allow_nan=False))
        lay_down(end["made"], task.made)
        return dict(end["status"])

    def _client(self) -> Client:
        try:
            return Client(self.address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError):
            raise Mistake(_NOT_REACHED.format(address=self.address)) from None


def _has_card(client: Client) -> bool:
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return any(worker["resources"].get(CARD, 0) >= 1 for worker in workers)


def _watch(client: Client, future: Future[dict[str, Any]], topic: str, listener: Listener) -> None:
    """Report how it stands until it ends. Raises: what the listener raises."""
    seen, by = 0, ""
    while True:
        is_over = future.done()
        facts = [message for _, message in client.get_events(topic)]
        for fact in facts[seen:]:
            if fact["by"] != by:
                by = fact["by"]
                listener.on(f"worker {by}")
            listener.report(progress_of(Fact(**fact["event"])))
        seen = len(facts)
        if is_over:
            return
        listener.waiting()
        time.sleep(POLL_SECONDS)


def _result(future: Future[dict[str, Any]], kind: TaskKind) -> dict[str, Any]:
    """Raises: `Lost` if every worker that had it died, `Refusal` for any other fault."""
    if future.status != "finished":
        is_lost = future.status in ("lost", "cancelled") or isinstance(future.exception(), KilledWorker)
        raise Lost(kind.lost) if is_lost else Refusal(Code.INTERNAL)
    return dict(future.result())


def stop_of(topic: str) -> str:
    """Return the name of the event that tells a worker that no one waits any more."""
    return f"{topic}-stop"


def do(
    kind: str, order: Mapping[str, Any], given: Mapping[str, bytes], *, topic: str, entry: str
) -> dict[str, Any]:
    """Do a task on a worker of the cluster, in a process of its own, and return its end with what it made.

    Public facts go to the scheduler under `topic` as they come.
    """
    worker, stop, seen = get_worker(), Event(stop_of(topic)), 0
    with tempfile.TemporaryDirectory(prefix="marginalia-") as scratch:
        task = Task(Path(scratch) / "task", kind)
        task.folder.mkdir(mode=0o700)
        task.write_order(order)
        lay_down(given, task.given)

        def tick(_: object) -> bool:
            nonlocal seen
            for event in task.events(skip=seen):
                seen += 1
                worker.log_event(topic, {"by": str(worker.name), "event": event.facts()})
            return not stop.is_set()

        end = attend(task, entry=entry, tick=tick)
        tick(end)
        return {
            "status": json.loads(json.dumps(asdict(end))),
            "answer": task.answer(),
            "fault": task.fault(),
            "made": contents_below(task.made),
        }
