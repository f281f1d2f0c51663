"""`verify`: check that a release package is complete and consistent."""

from __future__ import annotations

import argparse

from synth.cli.arguments import FAILED_CHECK, Commands, command
from synth.cli.console import Console


def add(commands: Commands) -> None:
    parser = command(commands, "verify", verify, "check a bundle; needs no private file and no ledger")
    parser.add_argument("bundle", metavar="BUNDLE", help="the folder or the zip")


def verify(asked: argparse.Namespace, console: Console) -> int:
    """Return 0 if the release package is complete, 7 if not."""
    from synth.release.verify import verify as verdict_on

    verdict = verdict_on(asked.bundle)
    for problem in verdict.problems:
        console.say(problem)
    mark = " It is a rehearsal, not a release." if verdict.rehearsal else ""
    count = len(verdict.problems)
    summary = "The bundle is whole and agrees with itself." if verdict.ok else f"{count} problem(s) found."
    facts = {"ok": verdict.ok, "rehearsal": verdict.rehearsal, "problems": list(verdict.problems)}
    console.result(summary + mark, **facts)
    return 0 if verdict.ok else FAILED_CHECK
