"""`jobs`: list and manage the runs of this machine."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from synth.app.jobs import runner
from synth.app.jobs.store import Job, State, Status
from synth.cli.arguments import Commands, command, group
from synth.cli.console import Console
from synth.cli.follow import follow, report_end
from synth.core.accounting import rho_of
from synth.core.errors import Mistake
from synth.core.numbers import per_cent

_UNITS = ("spent", "reserved", "requested", "left", "missing")
"""Fields in ledger units. The last three are part of the error."""


def add(commands: Commands) -> None:
    verbs = group(commands, "jobs", "list, watch, stop and resume runs")
    command(
        verbs, "list", list_jobs, "list every run of a release with its state; runs of `judge` are not listed"
    )
    for name, work, help in (
        ("status", show, "show the progress of a run, or how it ended"),
        ("follow", watch, "watch a run until it ends"),
    ):
        command(verbs, name, work, help).add_argument("run", metavar="RUN")
    resuming = command(verbs, "resume", resume, "continue a run that ended early; nothing is charged twice")
    resuming.add_argument("run", metavar="RUN")
    resuming.add_argument(
        "--other-people",
        action="store_true",
        help="confirm that no one is in both populations, if the file was released under another one",
    )
    resuming.add_argument(
        "--continue-unfit",
        action="store_true",
        help="continue a run that stopped because its table does not fit the declaration",
    )
    stopping = command(verbs, "cancel", cancel, "stop a run between two rounds; spent budget stays spent")
    stopping.add_argument("run", metavar="RUN")
    stopping.add_argument("--force", action="store_true", help="do not wait for the round to end")


def list_jobs(args: argparse.Namespace, console: Console) -> int:
    for job in Job.all():
        status = runner.status(job)
        console.say(
            f"{job.run}  {status.state.value:9}  {per_cent(status.done):>5}  {status.fact or status.code}"
        )
        console.tell("job", **_facts(job.run, status))
    return 0


def show(args: argparse.Namespace, console: Console) -> int:
    facts = _facts(args.run, runner.status(Job.find(args.run)))
    hidden = _UNITS if facts["place"] else (*_UNITS, "place")
    words = {name: value for name, value in facts.items() if value not in (None, "") and name not in hidden}
    words["done"] = per_cent(facts["done"])
    words |= {name: f"rho {rho_of(facts[name]):.6g}" for name in _UNITS[:2] if facts[name] is not None}
    console.result("\n".join(f"{name:10} {value}" for name, value in words.items()), **facts)
    return 0


def watch(args: argparse.Namespace, console: Console) -> int:
    return follow(Job.find(args.run), console)


def resume(args: argparse.Namespace, console: Console) -> int:
    job = runner.resume(
        Job.find(args.run), other_people=args.other_people, continue_unfit=args.continue_unfit
    )
    return follow(job, console)


def cancel(args: argparse.Namespace, console: Console) -> int:
    job = Job.find(args.run)
    if runner.status(job).state.is_end:
        raise Mistake(f"The run {job.run!r} has already ended.")
    runner.cancel(job, force=args.force)
    end = runner.wait(job, seconds=3 * runner.PATIENCE_SECONDS)
    report_end(job, end, console)
    return 0 if end.state is State.CANCELLED else end.exit_code


def _facts(run: str, status: Status) -> dict[str, Any]:
    return {"run": run, **asdict(status)} | {"state": status.state.value}
