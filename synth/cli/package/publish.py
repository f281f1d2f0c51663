"""`publish`: write a finished release package with its intended use, licence, contact and approvers.

This uses neither the private table nor the ledger.
"""

from __future__ import annotations

import argparse

from synth.cli.arguments import Commands, add_forms, command
from synth.cli.console import Console


def add(commands: Commands) -> None:
    parser = command(
        commands, "publish", publish, "write a release package with its licence, contact and intended use"
    )
    parser.add_argument("bundle", metavar="PACKAGE", help="its folder or zip file")
    parser.add_argument("--purpose", required=True, metavar="TEXT", help="the intended use")
    parser.add_argument("--licence", required=True, metavar="TEXT", help="terms of use, such as 'CC BY 4.0'")
    parser.add_argument("--contact", required=True, metavar="TEXT", help="who answers questions")
    parser.add_argument("--approved-by", required=True, nargs="+", metavar="NAME", help="who approved it")
    parser.add_argument(
        "--decision",
        action="append",
        default=[],
        metavar="TEXT",
        help="a choice that was made after seeing exact numbers of the private table; repeatable",
    )
    add_forms(parser)
    parser.add_argument("--out", required=True, metavar="DIR", help="new or empty folder")


def publish(args: argparse.Namespace, console: Console) -> int:
    """Write the package again with these texts. Its data stay identical, byte for byte, and decisions that it
    states already are kept.
    """
    from synth.analyst.shown.notebook import write as notebook
    from synth.release.documents.statement import Imprint
    from synth.release.formats.forms import check_forms
    from synth.release.opened import open_bundle
    from synth.release.publish import publish as write

    check_forms(args.also)
    stated = Imprint.of(open_bundle(args.bundle).statement)
    imprint = Imprint(
        licence=args.licence,
        contact=args.contact,
        purpose=args.purpose,
        approvers=tuple(args.approved_by),
        decisions=(*stated.decisions, *args.decision),
        beyond=stated.beyond,
    )
    place = write(args.bundle, args.out, imprint=imprint, also=args.also, notebook=notebook)
    console.result(f"Wrote the package to publish to {place}.", out=str(place))
    return 0
