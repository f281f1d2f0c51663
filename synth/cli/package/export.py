"""`export`: write the table of a release package for Excel, Stata or SPSS, or as another CSV file."""

from __future__ import annotations

import argparse

from synth.cli.arguments import FORMS_HELP, Commands, command
from synth.cli.console import Console


def add(commands: Commands) -> None:
    parser = command(commands, "export", export, "write the table of a release package for another program")
    parser.add_argument("bundle", metavar="PACKAGE", help="its folder or zip file")
    parser.add_argument("--form", required=True, metavar="FORMAT", help=FORMS_HELP)
    parser.add_argument(
        "--separator",
        default="",
        metavar="SIGN",
        help="sign between the cells of CSV; \\t for a tab",
    )
    parser.add_argument("--out", required=True, metavar="FILE", help="new file")


def export(args: argparse.Namespace, console: Console) -> int:
    """Write the rows of the package with labels of values and variables. This uses no budget."""
    from synth.release.formats.forms import form_named, write_file

    separator = args.separator.replace("\\t", "\t")
    out = write_file(args.bundle, args.out, form=args.form, separator=separator)
    title = form_named(args.form).title
    console.result(f"Wrote the table to {out} ({title}); no budget was spent.", file=str(out), units_spent=0)
    return 0
