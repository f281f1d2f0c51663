"""`regenerate`: make more rows, or use another generator, from the measurements of a release package.

This spends no budget.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from synth.cli.arguments import DEVICE_HELP, EXECUTOR_HELP, Commands, add_forms, add_options, command
from synth.cli.console import Console
from synth.core.errors import Mistake
from synth.core.options import options_typed
from synth.core.system.device import AUTO, check_device, check_name
from synth.release.place import check_place


def add(commands: Commands) -> None:
    parser = command(
        commands, "regenerate", regenerate, "make another table from a release package; uses no budget"
    )
    parser.add_argument("bundle", metavar="PACKAGE", help="its folder or zip file")
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--out", metavar="DIR", help="new or empty folder for another release package")
    place.add_argument(
        "--file",
        metavar="FILE",
        help="new file for the rows only (.parquet or .csv), written in blocks, so any number of rows needs "
        "little memory",
    )
    parser.add_argument("--rows", type=int, help="rows to generate (default: as in the release)")
    parser.add_argument(
        "--generator",
        "--method-of-generation",
        help="the generator of the rows, such as refined or independent (default: as in the release)",
    )
    add_forms(parser)
    parser.add_argument("--device", default=AUTO, help=DEVICE_HELP)
    parser.add_argument("--executor", metavar="WHERE", help=EXECUTOR_HELP)
    add_options(
        parser, "--option", help="an option of the generator; repeatable (default: as in the release)"
    )


def regenerate(args: argparse.Namespace, console: Console) -> int:
    """Write a release package, or only rows, with the same guarantee and measurements.

    This needs neither the ledger nor the private file.
    """
    if args.file is not None:
        return _rows(args, console)
    from synth.app.jobs.elsewhere.choice import HERE, chosen, named
    from synth.app.jobs.kinds import regenerating
    from synth.app.jobs.spec import fresh_run, fresh_seed
    from synth.release.formats.forms import check_forms

    check_forms(args.also)
    check_name(args.device)
    executor = named(args.executor) if args.executor else chosen()
    if executor == named(HERE):
        check_device(args.device)
    out = Path(args.out).expanduser().absolute()
    check_place(out)
    order = regenerating.order(
        generator=args.generator,
        rows=args.rows,
        seed=fresh_seed(),
        options=options_typed(args.option) if args.option else None,
        device=args.device,
        also=args.also,
    )
    rows = regenerating.remade(
        Path(args.bundle),
        out,
        run=fresh_run(),
        order=order,
        executor=executor,
        on=lambda who: console.note(f"Made by: {who}"),
    )
    console.result(
        f"Wrote {rows:,} rows to {out} from the same measurements; no budget was spent.",
        out=str(out),
        rows=rows,
        units_spent=0,
    )
    return 0


def _rows(args: argparse.Namespace, console: Console) -> int:
    from synth.app.jobs.work import further_rows
    from synth.release.opened import open_bundle
    from synth.release.rows import check_file

    if args.also:
        raise Mistake("--also needs --out. With --file, only Parquet or CSV is written.")
    if args.executor is not None:
        raise Mistake(
            "--file always runs on this machine. Leave out --executor, or use --out instead of --file."
        )
    check_device(args.device)
    place = check_file(args.file)
    written = further_rows(
        open_bundle(args.bundle),
        place,
        generator=args.generator,
        options=options_typed(args.option) if args.option else None,
        rows=args.rows,
        device=args.device,
        report=lambda progress: console.note(f"{progress.stage:10} {progress.fact}"),
    )
    for sentence in written.sentences:
        console.note(sentence)
    console.result(
        f"Wrote {written.rows:,} rows to {place} from the same measurements; no budget was spent.",
        file=str(place),
        rows=written.rows,
        blocked=written.is_blocked,
        units_spent=0,
    )
    return 0
