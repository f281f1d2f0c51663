"""`evaluate`: a release against the private table. NOT PRIVATE: for the steward alone."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from synth.cli.arguments import Commands, command, existing_file
from synth.cli.console import Console
from synth.errors import Mistake


def add(commands: Commands) -> None:
    parser = command(commands, "evaluate", evaluate, "compare a bundle with the private table: NOT PRIVATE")
    parser.add_argument("--bundle", required=True, metavar="DIR")
    parser.add_argument("--data", required=True, metavar="FILE", help="the private table it was made from")
    parser.add_argument("--holdout", metavar="FILE", help="rows of the same kind that never entered the run")
    parser.add_argument(
        "--target",
        action="append",
        default=[],
        metavar="COLUMN",
        help="predict it on the holdout; repeatable",
    )


def evaluate(asked: argparse.Namespace, console: Console) -> int:
    """Print a `StewardReport`. Raises: `Mistake`, `Refusal`."""
    from synth.evaluate.report import load_real, load_synthetic, steward_report
    from synth.release.opened import open_bundle

    if bool(asked.holdout) != bool(asked.target):
        raise Mistake("A prediction needs both: --holdout FILE and at least one --target COLUMN.")
    opened = open_bundle(asked.bundle)
    schema, axes = opened.evidence.codebook.schema, opened.evidence.codebook.axes
    names = [axis.name for axis in axes]
    for target in asked.target:
        if target not in names:
            raise Mistake(f"The bundle has no column {target!r}. It has: {', '.join(names)}.")
    real = load_real(existing_file(asked.data, what="table"), schema, axes)
    report = steward_report(
        real,
        load_synthetic(Path(asked.bundle) / opened.layout.csv, schema, axes),
        ordered=frozenset(a.name for a in axes if a.column.kind.is_ordered),
        held_out=load_real(existing_file(asked.holdout, what="holdout table"), schema, axes)
        if asked.holdout
        else None,
        targets=asked.target,
    )
    told = report.to_json()
    console.say(report.mark)
    console.result(_text(told), **told)
    return 0


def _text(told: dict[str, object]) -> str:
    """The report's numbers as indented lines."""
    return json.dumps({k: v for k, v in told.items() if k != "mark"}, indent=1, ensure_ascii=False)
