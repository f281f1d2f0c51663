"""Who does a public task: what the forms have in common; which of them is chosen stands in `choice`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from synth.app.jobs.elsewhere.carrying import hand_over
from synth.app.jobs.executor import LocalProcesses
from synth.app.jobs.kind import TaskKind
from synth.app.jobs.store import Event, State, Status, Task, now
from synth.core.errors import Cancelled, Code, MarginaliaError, Mistake, Refusal
from synth.core.progress import Progress, Reporter, silent

STAGE = "elsewhere"
"""The stage of waiting for whoever does it."""

CARD = "cuda"
"""What a task wants that a graphics card would do sooner; any other word stands for no wish."""


PUBLIC_ONLY = (
    "A task of the kind {kind!r} may read a private file, so no other machine does it. Start it where the "
    "file is, with the place set to this machine."
)


class Lost(MarginaliaError):
    """Whoever had the task ended without a word, more often than is worth another try."""

    exit_code = 6
    code = "lost"


class Executor(Protocol):
    """Where public tasks are done."""

    @property
    def title(self) -> str:
        """The place in words, for a page."""

    def do(
        self,
        task: Task,
        kind: TaskKind,
        *,
        report: Reporter = silent,
        wants: str = "",
        on: Callable[[str], object] = ...,
        waiting: Callable[[], object] = ...,
    ) -> None:
        """Have a prepared task of this kind done, and return when what it made lies in its folder.

        `report` is told its public facts, and `waiting` is called now and then where others do it: both stop
        it by raising. `on` is told who does it; `wants` is `CARD` for a task that goes where a graphics card
        is, if one is.

        Raises: `Mistake` for a kind that is not public, and with the sentence of a task that failed by one;
        `Refusal` for a fault of the program, `Cancelled`, `Lost`.
        """


def nobody(words: str) -> None:
    """Is told who does a task, and keeps it to itself."""


def nothing() -> None:
    """Waits on."""


def progress_of(event: Event) -> Progress:
    """A public fact as another process wrote it down."""
    return Progress(stage=event.stage, done=event.done, fact=event.fact, steps=event.steps, loss=event.loss)


def check_public(name: str, kind: TaskKind | None) -> None:
    """Raises: `Mistake` for a kind that is not declared public, or that is none."""
    if kind is None or not kind.is_public:
        raise Mistake(PUBLIC_ONLY.format(kind=name))


def prepared(folder: Path, kind: str, *, order: Mapping[str, Any], files: Mapping[str, Path | bytes]) -> Task:
    """A public task in a folder of its own: its order, and the public files it reads by what they are called
    there. Raises: `Mistake` for an order that names a place on this machine."""
    for word in _texts(order):
        if Path(word).is_absolute():
            raise Mistake(f"A public task names no place on this machine, but its order says {word!r}.")
    task = Task(folder, kind)
    folder.mkdir(mode=0o700, parents=True)
    task.write_order(order)
    hand_over(files, task.given)
    return task


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for pair in value.items() for part in pair for text in _texts(part)]
    return [text for part in value for text in _texts(part)] if isinstance(value, list | tuple) else []


TITLE = "this machine"


@dataclass(frozen=True)
class Here:
    """An `Executor` that needs nobody. Being killed, it takes the task with it: `runner` says so then."""

    title: str = TITLE

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
        on(self.title)
        answer = kind.work(task, report)
        if answer is not None:
            task.keep("answer.json", json.dumps(answer, allow_nan=False))


POLL_SECONDS = 0.2
PATIENCE_SECONDS = 10.0
"""Between telling the process to stop and ending it."""


def attend(task: Task, *, entry: str, tick: Callable[[Status], bool]) -> Status:
    """Have the task done and return its end. `tick` is told now and then how it stands, and says whether to
    go on; it is told nothing more after it has said no. What it raises ends the process."""
    processes = LocalProcesses(worker=entry, leash=True, public=True)
    task.write_status(Status(state=State.QUEUED, at=now()))
    processes.start(task)
    stopped_at: float | None = None
    try:
        while True:
            processes.clear(task)
            is_alive = processes.is_alive(task)
            last = task.status()
            if last.state.is_end:
                return last
            if not is_alive:
                return _end_of_the_dead(task)
            if stopped_at is None and not tick(last):
                stopped_at = time.monotonic()
                task.ask_to_stop()
                processes.stop(task)
            if stopped_at is not None and time.monotonic() - stopped_at > PATIENCE_SECONDS:
                processes.stop(task, force=True)
            time.sleep(POLL_SECONDS)
    finally:
        processes.stop(task, force=True)
        processes.clear(task)


def _end_of_the_dead(task: Task) -> Status:
    last = task.status()  # it may have ended while we looked
    if last.state.is_end:
        return last
    state, code = (State.CANCELLED, Cancelled.code) if task.is_asked_to_stop() else (State.LOST, Lost.code)
    return replace(last, state=state, code=code, at=now())


def raise_end(end: Mapping[str, Any], kind: TaskKind) -> None:
    """Raise what another machine's end stands for; nothing for a task that is done.

    Raises: `Mistake` with the sentence, `Refusal` for a fixed one or a fault, `Cancelled`, `Lost`.
    """
    state, code, sentence = (str(end.get(name, "")) for name in ("state", "code", "sentence"))
    errors: dict[str, MarginaliaError] = {
        State.CANCELLED: Cancelled(kind.stopped),
        State.LOST: Lost(kind.lost),
        State.FAILED: Refusal(Code(code)) if code in set(Code) else Mistake(sentence),
    }
    if state != State.DONE:
        raise errors.get(state, Refusal(Code.INTERNAL))
