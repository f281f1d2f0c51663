"""`sketch`: write rows that only have the structure of a table, from its schema and rules."""

from __future__ import annotations

import argparse
from pathlib import Path

from synth.cli.arguments import Commands, add_forms, command, existing_file
from synth.cli.console import Console


def add(commands: Commands) -> None:
    parser = command(
        commands,
        "sketch",
        sketch,
        "write rows from the schema and rules alone, without reading a table, so that code can be written",
    )
    parser.add_argument("--schema", required=True, metavar="FILE", help="the declared schema (JSON)")
    parser.add_argument("--rules", metavar="FILE", help="the rules that the rows obey (JSON or CSV)")
    parser.add_argument("--rows", type=int, default=100, help="number of rows (default: 100)")
    add_forms(parser)
    parser.add_argument("--out", required=True, metavar="DIR", help="new or empty folder")


def sketch(args: argparse.Namespace, console: Console) -> int:
    """Write the rows with their watermark. No table is read, and no budget is spent."""
    from synth.dictionaries import load_schema
    from synth.release.formats.forms import check_forms
    from synth.release.formats.sketch import WATERMARK, write_sketch
    from synth.rules import parse_rules

    check_forms(args.also)
    schema = load_schema(existing_file(args.schema, what="schema"))
    rules = parse_rules(existing_file(args.rules, what="file of rules") if args.rules else [], schema)
    out = write_sketch(schema, Path(args.out), rules, args.rows, also=args.also)
    console.result(
        f"Wrote {args.rows:,} rows to {out}: {WATERMARK}. No table was read, and no budget was spent.",
        out=str(out),
        rows=args.rows,
        units_spent=0,
    )
    return 0
