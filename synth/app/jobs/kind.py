"""What a kind of task is: how it does its order, what it takes of the machine, and its sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from synth.app.jobs.store import Task
from synth.core.progress import Reporter

Work = Callable[[Task, Reporter], Mapping[str, Any] | None]


@dataclass(frozen=True, kw_only=True)
class TaskKind:
    """One way to work; `kinds.KINDS` lists them all.

    `work` does the order of the task, reports public facts, and returns the result to keep as `answer.json`,
    None for no result. Heavy libraries are imported inside it. `charges` returns what a task has spent and
    reserved, in ledger units; None for a task that never uses the ledger. A task that `queues` waits for its
    turn among the runs (`worker.turn`); its process lets others go first by its `niceness`. A `polite` task
    is asked to stop between two steps; any other stops at once.

    A kind that `is_public` touches nothing private: its order contains no path, it reads the files in
    `Task.given` and writes into `Task.made` only. Only such a task is done on another machine
    (`jobs.elsewhere`). `accept` checks what came back from there, and raises `Mistake` for anything that was
    not ordered.

    The sentences are for the steward: about a second task in the same folder (`busy`), and about the end of a
    task that was stopped (`forced`: by force), that waited too long for the ledger (`paused`; without that
    sentence it failed), that was `lost`, or that met a fault of the program (`failed`).
    """

    work: Work
    charges: Callable[[Task], tuple[int | None, int | None]] = lambda task: (None, None)
    queues: bool = False
    niceness: int = 0
    polite: bool = False
    is_public: bool = False
    accept: Callable[[Task], object] = lambda task: None
    busy: str = "This task is running already. Wait for it, or stop it first."
    stopped: str = "The task was stopped. No budget was spent."
    forced: str = ""
    paused: str = ""
    lost: str = "The process stopped without a report. No budget was spent; start it again."
    failed: str = "The task failed because of a fault of the program. No budget was spent."
