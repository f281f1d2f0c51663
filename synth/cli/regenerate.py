"""`regenerate`: another table, or another generator, from a bundle's measurements. Free."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from synth.cli.arguments import DEVICE_HELP, EXECUTOR_HELP, Commands, add_options, command
from synth.cli.console import Console
from synth.device import AUTO, check_device, check_name
from synth.options import options_typed


def add(commands: Commands) -> None:
    parser = command(commands, "regenerate", regenerate, "another table from a bundle's measurements; free")
    parser.add_argument("bundle", metavar="BUNDLE", help="the folder or the zip of a release")
    parser.add_argument("--out", required=True, metavar="DIR", help="new or empty folder")
    parser.add_argument("--rows", type=int, help="rows to generate (default: as the release)")
    parser.add_argument(
        "--generator",
        "--method-of-generation",
        help="what makes records of the answers, such as refined or independent (default: as the release)",
    )
    parser.add_argument("--device", default=AUTO, help=DEVICE_HELP)
    parser.add_argument("--executor", metavar="WHERE", help=EXECUTOR_HELP)
    add_options(parser, "--option", help="an option of the generator; repeatable (default: as the release)")


def regenerate(asked: argparse.Namespace, console: Console) -> int:
    """Write a bundle with the same promise and the same measurements; needs no ledger and no private file."""
    from synth.jobs.elsewhere.choice import HERE, chosen, named
    from synth.jobs.elsewhere.executor import prepared
    from synth.jobs.kinds import regenerating
    from synth.jobs.runner import check_place
    from synth.jobs.spec import fresh_run, fresh_seed
    from synth.jobs.work import draft_of, put
    from synth.release.opened import open_bundle

    check_name(asked.device)
    executor = named(asked.executor) if asked.executor else chosen()
    if executor == named(HERE):
        check_device(asked.device)
    out = Path(asked.out).expanduser().absolute()
    check_place(out)
    bundle = Path(asked.bundle)
    opened = open_bundle(bundle)
    order = regenerating.order(
        generator=asked.generator,
        rows=asked.rows,
        seed=fresh_seed(),
        options=options_typed(asked.option) if asked.option else None,
        device=asked.device,
    )
    wants = regenerating.wants(opened, generator=asked.generator, device=asked.device)
    draft = draft_of(out, run=fresh_run())
    try:
        files = regenerating.files(bundle, opened)
        errand = prepared(draft, "regenerating", order=order, files=files)
        executor.do(errand, regenerating.KIND, wants=wants, on=lambda who: console.note(f"Made by: {who}"))
        rows = (errand.answer() or {})["rows"]
        put(errand.made, out)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    console.result(
        f"Wrote {rows} rows to {out} from the same measurements; nothing was spent.",
        out=str(out),
        rows=rows,
        units_spent=0,
    )
    return 0
