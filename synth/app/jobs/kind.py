"""What a kind of task is: what it does with its order, what it takes of the machine, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from synth.app.jobs.store import Task
from synth.core.errors import Code, Refusal
from synth.core.progress import Reporter

Work = Callable[[Task, Reporter], Mapping[str, Any] | None]


def no_doubt(task: Task) -> None:
    """Of a task whose answer is taken as it comes."""


def no_charges(task: Task) -> tuple[int | None, int | None]:
    """Of a task that never meets the ledger."""
    return None, None


@dataclass(frozen=True, kw_only=True)
class Needs:
    """`slot`: a turn in the queue (`worker.turn`), for a task of the job store; `niceness`: by how much its
    process steps back behind others."""

    slot: bool = False
    niceness: int = 0


@dataclass(frozen=True, kw_only=True)
class TaskKind:
    """One way to work; `kinds.KINDS` lists them all.

    `work` does what the task was ordered to, tells public facts as it goes, and returns the answer to be kept
    as `answer.json`, None for no such answer. A heavy library is imported inside it. `charges` are what a
    task that meets the ledger has spent and reserved, in ledger units. A `polite` one is asked to stop
    between two steps; any other is stopped at once, half an answer being no answer.

    A kind that `is_public` touches nothing private: its order is plain facts without a path, it reads the
    files in `Task.given` and writes into `Task.made` and nowhere else. Only such a task is ever done on
    another machine (`jobs.elsewhere`). `accept` looks at what came back from there, and raises `Mistake` if
    it is not what was ordered.

    The sentences are for the steward: a second one in the same folder (`busy`), the end of one that was
    stopped, by itself or by `force`, that waited in vain for the ledger (`paused`; without that sentence it
    failed), that was `lost` without a word, and that met a fault of the program (`failed`).
    """

    work: Work
    charges: Callable[[Task], tuple[int | None, int | None]] = no_charges
    needs: Needs = Needs()
    polite: bool = False
    is_public: bool = False
    accept: Callable[[Task], None] = no_doubt
    busy: str = "This is at work already. Wait for it."
    stopped: str = "The work was stopped."
    forced: str = ""
    paused: str = ""
    lost: str = "The process stopped without a word. Start it again."
    failed: str = str(Refusal(Code.INTERNAL))
