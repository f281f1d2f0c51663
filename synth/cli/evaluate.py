"""`evaluate`: compare a release with the private table. NOT PRIVATE: only for the steward."""

from __future__ import annotations

import argparse
import json

from synth.cli.arguments import Commands, add_table, command, existing_file
from synth.cli.console import Console
from synth.core.errors import Mistake
from synth.core.numbers import share_at_most
from synth.core.system.address import existing


def add(commands: Commands) -> None:
    parser = command(
        commands, "evaluate", evaluate, "compare a release package with the private table: NOT PRIVATE"
    )
    parser.add_argument("bundle", metavar="PACKAGE", help="its folder or zip file")
    add_table(parser, help="the private table it was made from", required=True)
    parser.add_argument(
        "--holdout", metavar="FILE", help="a file of comparable rows that were not in the run"
    )
    parser.add_argument(
        "--target",
        action="append",
        default=[],
        metavar="COLUMN",
        help="column to predict on the hold-out rows; repeatable",
    )


def evaluate(args: argparse.Namespace, console: Console) -> int:
    """Print a `StewardReport`. Raises: `Mistake`, `Refusal`."""
    from synth.core.axis import ordered_codes
    from synth.evaluate.findings import EXCLUDED
    from synth.evaluate.report import load_real, steward_report
    from synth.release.opened import open_bundle

    if bool(args.holdout) != bool(args.target):
        raise Mistake("A prediction needs both: --holdout FILE and at least one --target COLUMN.")
    opened = open_bundle(args.bundle)
    schema, axes = opened.evidence.codebook.schema, opened.evidence.codebook.axes
    names = [axis.name for axis in axes]
    for target in args.target:
        if target not in names:
            raise Mistake(f"The release package has no column {target!r}. It has: {', '.join(names)}.")
    real, excluded = load_real(existing(args.data, table=args.table), schema, axes)
    holdout = existing_file(args.holdout, what="holdout table") if args.holdout else None
    report = steward_report(
        real,
        opened.coded(),
        ordered=frozenset(ordered_codes(axes)),
        held_out=None if holdout is None else load_real(holdout, schema, axes)[0],
        targets=args.target,
    )
    console.say(report.mark)
    if excluded:
        console.say(EXCLUDED.format(share=share_at_most(excluded)))
    document = report.to_json() | {"excluded": excluded}
    numbers = {name: value for name, value in document.items() if name != "mark"}
    console.result(json.dumps(numbers, indent=1, ensure_ascii=False), **document)
    return 0
