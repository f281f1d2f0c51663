"""Who does a public task: what the forms have in common; which of them is chosen stands in `choice`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from synth.app.jobs.elsewhere.carrying import hand_over
from synth.app.jobs.kind import TaskKind
from synth.app.jobs.store import Event, Task
from synth.core.errors import MarginaliaError, Mistake
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
