"""Watching a run from a terminal: its public facts, a bar, a polite stop, and how it ended."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Protocol

from synth.cli.console import Console
from synth.jobs import known, runner
from synth.jobs.store import Event, Job, State, Status
from synth.laws import rho_of

_POLL_SECONDS = 0.05


class _Bar(Protocol):
    def show(self, event: Event) -> None: ...


def follow(job: Job, console: Console) -> int:
    """Show the run's facts until it ends. Ctrl-C stops it between two rounds, a second one by force.

    Returns the exit code of its end.
    """
    stops = 0
    with _bar(console) as bar:
        shown = 0
        while True:
            try:
                seen = runner.status(job)
                for event in job.events(skip=shown):
                    shown += 1
                    bar.show(event)
                    console.tell("progress", run=job.run, **asdict(event))
                if seen.state.is_end:
                    break
                time.sleep(_POLL_SECONDS)
            except KeyboardInterrupt:
                stops += 1
                runner.cancel(job, force=stops > 1)
                console.note("Stopping after this step; press Ctrl-C again to stop at once.")
    report_end(job, seen, console)
    return seen.exit_code


def report_end(job: Job, seen: Status, console: Console) -> None:
    """The outcome in a few lines: where the bundle is, or why there is none, what it cost, what to do."""
    spec = job.spec()
    facts: dict[str, Any] = {
        "run": job.run,
        "state": seen.state.value,
        "exit_code": seen.exit_code,
        "units_spent": seen.spent,
        "units_reserved": seen.reserved,
    }
    if seen.state is State.DONE:
        facts |= {"out": spec.out, "epsilon": spec.epsilon, "delta": spec.delta}
        console.result(
            f"Released to {spec.out}: epsilon {spec.epsilon:g} at delta {spec.delta:g}, "
            f"rho {_rho(seen.spent)} spent (run {job.run}).",
            **facts,
        )
        return
    console.say_error(seen.sentence + _reference(job, seen))
    facts |= {"code": seen.code, "sentence": seen.sentence, "reference": seen.reference}
    if seen.missing is not None:
        facts |= {"requested": seen.requested, "left": seen.left, "missing": seen.missing}
    console.tell("error", **facts)
    if seen.code == known.CODE:
        console.note(f"If nobody is in both: marginalia jobs resume {job.run} --other-people")
    if seen.reserved:
        console.note(
            f"Spent so far: rho {_rho(seen.spent)} of {_rho(seen.reserved)} reserved; that stays spent.\n"
            f"Go on and spend the rest as agreed: marginalia release --resume {job.run}\n"
            f"Or give the rest back             : marginalia ledger discard {job.run}"
        )
    elif seen.state is State.PAUSED:
        console.note(f"Nothing was reserved yet. Go on with: marginalia release --resume {job.run}")


def _reference(job: Job, seen: Status) -> str:
    """After a fault of the program: where it was, for a report to whoever repairs it."""
    if not seen.reference:
        return ""
    kept = job.fault() or {}
    place = f"{kept['kind']} at {kept['where'][-1]}, " if kept.get("where") else ""
    return f" ({place}reference {seen.reference})"


def _rho(units: int | None) -> str:
    return "unknown" if units is None else f"{rho_of(units):.6g}"


@contextlib.contextmanager
def _bar(console: Console) -> Iterator[_Bar]:
    if console.as_json or not sys.stderr.isatty():
        yield _NoBar()
        return
    from tqdm import tqdm

    with tqdm(total=100, bar_format="{percentage:3.0f}% |{bar:24}| {desc}", leave=False) as line:
        yield _Line(line)


class _NoBar:
    def show(self, event: Event) -> None:
        """Nobody looks."""


class _Line:
    def __init__(self, line: Any) -> None:
        self._line = line

    def show(self, event: Event) -> None:
        self._line.n = round(100 * event.done)
        self._line.set_description_str(f"{event.stage}: {event.fact}"[:80])
