"""`regenerate`: another table, or another generator, from a bundle's measurements. Free."""

from __future__ import annotations

import argparse
from pathlib import Path

from synth.cli.arguments import DEVICE_HELP, Commands, add_options, command
from synth.cli.console import Console
from synth.device import AUTO, check_device
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
    add_options(parser, "--option", help="an option of the generator; repeatable (default: as the release)")


def regenerate(asked: argparse.Namespace, console: Console) -> int:
    """Write a bundle with the same promise and the same measurements; needs no ledger and no private file."""
    from synth.jobs.runner import check_place
    from synth.jobs.work import further
    from synth.release import bundle
    from synth.release.opened import open_bundle

    check_device(asked.device)
    out = Path(asked.out).expanduser().absolute()
    check_place(out)
    options = options_typed(asked.option) if asked.option else None
    opened = open_bundle(asked.bundle)
    synthesis = further(
        opened, generator=asked.generator, options=options, rows=asked.rows, device=asked.device
    )
    bundle.write(synthesis, out, rehearsal=synthesis.privacy.rehearsal)
    console.result(
        f"Wrote {len(synthesis.table)} rows to {out} from the same measurements; nothing was spent.",
        out=str(out),
        rows=len(synthesis.table),
        units_spent=0,
    )
    return 0
