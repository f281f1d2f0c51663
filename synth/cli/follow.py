"""Follow a run in the terminal: show its progress, stop it on request, and print its outcome."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from synth.app.jobs import released_files, runner
from synth.app.jobs.store import Event, Job, State, Status
from synth.app.project.shifting import has_dates
from synth.cli.console import Console
from synth.core.accounting import exact, rho_of
from synth.core.errors import UNSPENT, NothingFound, Unfit, states_cost
from synth.release.layout import Layout

_MOST_WARNINGS = 5
_POLL_SECONDS = 0.1


def follow(job: Job, console: Console) -> int:
    """Show the run's progress until it ends. Return the exit code.

    Ctrl-C stops the run between two rounds. A second Ctrl-C stops it immediately.
    """
    stops = 0
    with _bar(console) as show:
        shown = 0
        while True:
            try:
                status = runner.status(job)
                for event in job.events(skip=shown):
                    shown += 1
                    show(event)
                    console.tell("progress", run=job.run, **event.facts())
                if status.state.is_end:
                    break
                time.sleep(_POLL_SECONDS)
            except KeyboardInterrupt:
                stops += 1
                runner.cancel(job, force=stops > 1)
                console.note("Stopping after this step; press Ctrl-C again to stop at once.")
    report_end(job, status, console)
    return status.exit_code


def report_end(job: Job, status: Status, console: Console) -> None:
    """Print the outcome: the path of the release package or the error, the cost, and the next command."""
    spec = job.spec()
    facts: dict[str, Any] = {
        "run": job.run,
        "state": status.state.value,
        "exit_code": status.exit_code,
        "units_spent": status.spent,
        "units_reserved": status.reserved,
    }
    if status.state is State.DONE:
        release, accuracy, warnings = _findings(Path(spec.out))
        facts |= {"release": release, "out": spec.out, "epsilon": spec.epsilon, "delta": spec.delta}
        facts |= {"accuracy": accuracy, "warnings": warnings}
        console.result(
            f"Released to {spec.out}: epsilon {spec.epsilon:g} at delta {exact(spec.delta)}, "
            f"rho {_rho(status.spent)} spent (run {job.run}, release {release}).",
            **facts,
        )
        for line in accuracy:
            console.say(f"  {line}")
        for warning in warnings[:_MOST_WARNINGS]:
            console.note(f"Warning: {warning}")
        if len(warnings) > _MOST_WARNINGS:
            console.note(f"The report has {len(warnings) - _MOST_WARNINGS} more warnings.")
        return
    console.say_error(status.sentence + _reference(job, status))
    facts |= {"code": status.code, "sentence": status.sentence, "reference": status.reference}
    if status.missing is not None:
        facts |= {"requested": status.requested, "left": status.left, "missing": status.missing}
    console.tell("error", **facts)
    if status.code == released_files.CODE:
        console.note(f"If no one is in both populations: marginalia jobs resume {job.run} --other-people")
    if status.reserved:
        kept = "nothing was spent" if status.spent == 0 else "this stays spent"
        console.note(f"Spent so far: rho {_rho(status.spent)} of {_rho(status.reserved)} reserved; {kept}.")
        if status.code == Unfit.code:
            console.note(
                "To continue anyway and spend the rest as agreed: "
                f"marginalia release --resume {job.run} --continue-unfit"
            )
            if any(map(has_dates, job.spec().schema["columns"])):
                console.note(
                    "If the table is of another period, discard this run and change the declared dates. "
                    "With --again, add for example --shift-dates 1m."
                )
        elif status.code != NothingFound.code:
            console.note(f"To continue and spend the rest as agreed: marginalia release --resume {job.run}")
        console.note(f"To release the rest: marginalia ledger discard {job.run}")
    elif status.state is State.PAUSED:
        console.note(f"Nothing was reserved yet. To continue: marginalia release --resume {job.run}")
    elif status.reserved == 0 and not states_cost(status.sentence):
        console.note(UNSPENT)


def _findings(package: Path) -> tuple[str, list[str], list[str]]:
    """Return the ID of a release package, its measured accuracy in words, and its warnings."""
    layout = Layout(rehearsal=(package / Layout(rehearsal=True).statement).is_file())
    statement, checks = (
        json.loads((package / path).read_text(encoding="utf-8")) for path in (layout.statement, layout.checks)
    )
    warnings = [flag["sentence"] for flag in checks["flags"]]
    return statement["release"]["id"], statement.get("accuracy", []), warnings


def _reference(job: Job, status: Status) -> str:
    """Return the line of code where a fault occurred and its reference, for a bug report."""
    if not status.reference:
        return ""
    kept = job.fault() or {}
    place = f"{kept['kind']} at {kept['where'][-1]}, " if kept.get("where") else ""
    return f" ({place}reference {status.reference})"


def _rho(units: int | None) -> str:
    return "unknown" if units is None else f"{rho_of(units):.6g}"


@contextlib.contextmanager
def _bar(console: Console) -> Iterator[Callable[[Event], None]]:
    """Return a function that draws progress as a bar. Without a terminal, it draws nothing."""
    if console.as_json or not sys.stderr.isatty():
        yield lambda event: None
        return
    from tqdm import tqdm

    with tqdm(total=100, bar_format="{percentage:3.0f}% |{bar:24}| {desc}", leave=False) as bar:

        def show(event: Event) -> None:
            bar.n = round(100 * event.done)
            bar.set_description_str(f"{event.stage}: {event.fact}"[:80])

        yield show
