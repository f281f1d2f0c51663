"""A look at finished runs, made by a process of its own beside the release worker.

Two kinds. A *steward* study compares the runs with the private table: NOT PRIVATE, so its answer stays in a
folder only the owner can open, and nothing of it is told as progress. An *atlas* maps the synthetic tables of
the runs and reads nothing else. A study spends no budget and holds no place in the queue of runs; it works at
a lower priority instead.

    FOLDER/               0700, one study at a time; a new one takes the place of the old
      order.json          what was asked (0600)
      answer.json         the findings, once the study is done (0600)
      status.json, events.jsonl, process.json, heartbeat, cancel, lock, fault.json   as in a job folder
"""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from synth.errors import Mistake
from synth.jobs.launch import launch
from synth.jobs.locks import hold
from synth.jobs.runner import EXIT_LOST, PATIENCE_SECONDS
from synth.jobs.store import State, Status, Workplace, now

WORKER = "synth.jobs.study_worker"
MOST_RUNS = 6
"""Tables one study looks at, at most."""

MAP_ROWS, FEWEST_MAP_ROWS, MOST_MAP_ROWS = 2_000, 100, 10_000
"""Rows that every table gives to a map: unless asked for otherwise, and the limits of what can be asked."""

REAL = "real"
"""The name of the private table on a map."""

STOPPED = "The comparison was stopped. Nothing was spent by it."
LOST = "The process that compared stopped without a word. Nothing was spent by it; start it again."
BUSY = "A comparison of this project is still being made. Wait for it, or stop it first."


class Kind(StrEnum):
    """What a study may look at."""

    STEWARD = "steward"
    ATLAS = "atlas"


@dataclass(frozen=True, kw_only=True)
class Order:
    """What a study is to do: `runs` are ids of finished runs, oldest first; a further table made from a run's
    answers is called by the id, a dash and its generator.

    For a steward study only: `targets` are columns to predict, `held_out` the path of a file of real rows
    that never entered a run ("" for none), `mapped` says whether to draw the map. `rows` is how many rows of
    each table are drawn on a map.

    Raises: `Mistake` for an order no study could have.
    """

    kind: Kind
    runs: tuple[str, ...]
    targets: tuple[str, ...] = ()
    held_out: str = ""
    mapped: bool = True
    rows: int = MAP_ROWS

    def __post_init__(self) -> None:
        least = 1 if self.kind is Kind.STEWARD else 2
        if not least <= len(self.runs) <= MOST_RUNS:
            raise Mistake(f"Choose {least} to {MOST_RUNS} runs; you chose {len(self.runs)}.")
        if not FEWEST_MAP_ROWS <= self.rows <= MOST_MAP_ROWS:
            raise Mistake(
                f"A map takes {FEWEST_MAP_ROWS} to {MOST_MAP_ROWS:,} rows of each table; you asked for "
                f"{self.rows:,}."
            )
        if self.held_out and not self.targets:
            raise Mistake("A file of held-out rows needs a column to predict.")

    @staticmethod
    def of(told: Mapping[str, Any]) -> Order:
        """From plain types."""
        known = dict(told) | {"kind": Kind(told["kind"])}
        return Order(**known | {name: tuple(told[name]) for name in ("runs", "targets")})


@dataclass(frozen=True)
class Study(Workplace):
    """The folder of a study, which need not be there yet."""

    @property
    def exists(self) -> bool:
        return (self.folder / "order.json").is_file()

    def order(self) -> Order:
        """What was asked of the study that lies here."""
        return Order.of(json.loads((self.folder / "order.json").read_text()))

    def answer(self) -> dict[str, Any] | None:
        """What a finished study found, None before."""
        path = self.folder / "answer.json"
        return dict(json.loads(path.read_text())) if path.is_file() else None

    def forget(self) -> None:
        """Remove all traces of the study that lies here."""
        for path in self.folder.glob("*"):
            path.unlink(missing_ok=True)


def start(folder: Path, order: Order) -> Study:
    """Forget the study in this folder and start another. Raises: `Mistake` while one is at work."""
    study = Study(folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if study.exists and not status(study).state.is_end:
        raise Mistake(BUSY)
    study.forget()
    study.write_status(Status(state=State.QUEUED, at=now()))
    study.keep("order.json", json.dumps(asdict(order)))
    launch(study, WORKER)
    return study


def status(study: Study) -> Status:
    """How far it is; also presses an overdue stop and gives a dead worker its end."""
    process = study.process()
    if process is not None:
        process.reap()
    seen = study.status()
    if seen.state.is_end:
        return seen
    if study.is_alive():
        if process is not None and study.stopping_for() >= PATIENCE_SECONDS:
            process.signal(signal.SIGKILL)
        return seen
    with hold(study.lock) as free:
        seen = study.status()  # it may have ended while we looked
        if free and not seen.state.is_end:
            seen = _end_of_the_dead(study, seen)
            study.write_status(seen)
    return seen


def stop(study: Study) -> None:
    """End a study at once; half an answer is no answer."""
    study.ask_to_stop()
    process = study.process()
    if process is not None:
        process.signal(signal.SIGTERM)


def _end_of_the_dead(study: Study, seen: Status) -> Status:
    if study.is_asked_to_stop():
        return replace(seen, state=State.CANCELLED, code="cancelled", sentence=STOPPED, exit_code=5, at=now())
    return replace(seen, state=State.LOST, code="lost", sentence=LOST, exit_code=EXIT_LOST, at=now())
