"""`verify`: check that a release package is complete and consistent."""

from __future__ import annotations

import argparse

from synth.cli.arguments import FAILED_CHECK, Commands, command
from synth.cli.console import Console


def add(commands: Commands) -> None:
    parser = command(
        commands, "verify", verify, "check a release package, without the private file or the ledger"
    )
    parser.add_argument("bundle", metavar="PACKAGE", help="the folder or zip file of the release package")
    parser.add_argument(
        "--earlier", metavar="PACKAGE", help="an earlier release: recompute what has changed since then"
    )


def verify(args: argparse.Namespace, console: Console) -> int:
    """Return 0 if the release package is complete, 7 if not."""
    from synth.analyst.shown.notebook import write as notebook
    from synth.release.verify import verify as verdict_on

    verdict = verdict_on(args.bundle, notebook=notebook)
    problems = verdict.problems
    if args.earlier:
        from synth.analyst.since import faults

        problems += tuple(faults(args.earlier, args.bundle))
    for problem in problems:
        console.say(problem)
    mark = " It is a practice run, not a release." if verdict.rehearsal else ""
    count = len(problems)
    summary = (
        "The release package is complete and consistent." if not problems else f"{count} problem(s) found."
    )
    facts = {"ok": not problems, "rehearsal": verdict.rehearsal, "problems": list(problems)}
    console.result(summary + mark, **facts)
    return 0 if not problems else FAILED_CHECK
