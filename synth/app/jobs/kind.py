"""Define kinds of tasks: their work, their use of the machine, and their messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from synth.app.jobs.store import Task
from synth.core.progress import Reporter

Work = Callable[[Task, Reporter], Mapping[str, Any] | None]


@dataclass(frozen=True, kw_only=True)
class TaskKind:
    """A kind of task. `kinds.KINDS` lists all kinds.

    `work` runs the order of the task, reports public facts, and returns the result, or None if there is no
    result. The result is stored as `answer.json`. The function imports large libraries itself. `charges`
    returns the ledger units that a task has spent, and those that it has spent or still reserves. Both are
    None for a task that never uses the ledger. If the kind `queues`, its tasks wait for their turn among the
    runs (`worker.turn`). `niceness` lowers the priority of the process. A `polite` task stops between two
    steps after a request; any other task stops immediately.

    A kind that `is_public` uses no private data. Its order contains no path, it reads only the files in
    `Task.given`, and it writes only to `Task.made`. Only tasks of such a kind run on another machine
    (`jobs.elsewhere`). `accept` checks the result from that machine, and raises `Mistake` if it does not
    match the order.

    The other fields are messages for the steward. `busy` refuses a second task in the same folder. The rest
    describe the end of a task: `stopped` on request, `forced` if it was stopped by force, `paused` if it
    waited too long for the ledger (without this message it fails), `lost` if its process ended without a
    report, and `failed` after a fault of the program.
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
