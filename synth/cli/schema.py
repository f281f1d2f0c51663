"""`schema`: create a schema from a header, check one, or read one from another format."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from synth.cli.arguments import (
    FAILED_CHECK,
    TABLE_HELP,
    WHICH_HELP,
    Commands,
    command,
    existing_file,
    group,
    write_new,
)
from synth.cli.checked import remember
from synth.cli.console import Console
from synth.core.errors import Mistake
from synth.core.numbers import number_of
from synth.core.schema import DECIMAL_SIGNS, THOUSANDS, DateOrder, FileFormat, Schema, check_format
from synth.core.system.address import Address, existing

_UNKNOWN = "not compared, because its list or range will be estimated"


def add(commands: Commands) -> None:
    verbs = group(commands, "schema", "start, check and convert a declared schema")
    begin = command(verbs, "start", start, "write a first schema from the column names, reading nothing else")
    begin.add_argument("data", metavar="TABLE", help=f"{TABLE_HELP}; only its header is read")
    begin.add_argument("--table", default="", metavar="NAME", help=WHICH_HELP)
    begin.add_argument("--name", help="name of the schema (default: the file's name)")
    begin.add_argument("--population", help="the people it is about (default: the name of the schema)")
    begin.add_argument(
        "--domains",
        metavar="FILE",
        help="a text file with a line per column: its name, a colon, and its domain, as on the Columns page",
    )
    _add_format(begin)
    begin.add_argument("--out", metavar="FILE", help="a new file (default: stdout)")
    proof = command(
        verbs, "check", check, "check whether a schema can be used and, if requested, fits a file"
    )
    proof.add_argument("schema", metavar="SCHEMA")
    proof.add_argument("--rules", metavar="FILE", help="also check these rules")
    proof.add_argument(
        "--against",
        metavar="TABLE",
        help="compare with the private table: NOT PRIVATE, only for the steward",
    )
    proof.add_argument("--table", default="", metavar="NAME", help=WHICH_HELP)
    apart = command(
        commands,
        "check",
        check_file,
        "check whether a private table fits (NOT PRIVATE, only for the steward)",
    )
    apart.add_argument("--data", required=True, metavar="TABLE", help=TABLE_HELP)
    apart.add_argument("--schema", required=True, metavar="SCHEMA", help="the declared schema (JSON)")
    apart.add_argument("--rules", metavar="FILE", help="also check that these rules can hold together")
    apart.add_argument("--table", default="", metavar="NAME", help=WHICH_HELP)
    change = command(verbs, "convert", convert, "convert a data dictionary in another format to a schema")
    change.add_argument(
        "source",
        metavar="FILE",
        help="*.json (Frictionless, SDV, CSV on the Web), *.csv, *.xlsx (dictionary), *.xml (DDI), "
        "*.sav, *.dta, *.sas7bdat, ... (labels and formats only)",
    )
    change.add_argument("--population", required=True, help="the people it is about")
    change.add_argument("--max-rows", type=int, required=True, help="maximum rows per person")
    change.add_argument("--name")
    change.add_argument("--id-column", help="column that limits the rows per unit; never synthesised")
    change.add_argument("--rows-public", type=int, metavar="N", help="the number of rows, if it is public")
    _add_format(change)
    change.add_argument("--out", metavar="FILE", help="a new file (default: stdout)")


def _add_format(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the file format.

    A data dictionary does not state this format, and the program never guesses it.
    """
    form = parser.add_argument_group("format of the private file, unless it is already stated")
    form.add_argument("--delimiter", help="separator of cells; \\t for a tab")
    form.add_argument("--encoding", metavar="NAME", help="encoding of a text file, such as cp1250")
    form.add_argument("--escape", choices=("\\",), help="sign before quotes in cells: a backslash")
    form.add_argument("--sheet", metavar="NAME", help="sheet of a workbook (default: the first)")
    form.add_argument(
        "--no-header",
        action="store_true",
        help="the first line is a record; list all columns in their order in the file",
    )
    form.add_argument("--skip-lines", type=int, metavar="N", help="lines or rows above the header")
    form.add_argument("--notes", nargs="+", metavar="TEXT", help="first words of lines that are not records")
    form.add_argument("--missing", nargs="+", metavar="TEXT", help="cells that mean a missing value")
    form.add_argument("--decimal-sign", choices=DECIMAL_SIGNS, help="decimal sign of numbers")
    form.add_argument("--thousands", choices=THOUSANDS, help="point or comma between thousands")
    form.add_argument(
        "--date-order", choices=[order.value for order in DateOrder], help="order of day, month and year"
    )


def _format(args: argparse.Namespace, known: FileFormat) -> FileFormat:
    """Return the known format, changed as typed. Raises: `Mistake` for an impossible format."""
    typed = {
        "delimiter": args.delimiter and args.delimiter.replace("\\t", "\t"),
        "encoding": args.encoding,
        "escape": args.escape,
        "sheet": args.sheet,
        "header": False if args.no_header else None,
        "skip_lines": args.skip_lines,
        "notes": args.notes and tuple(args.notes),
        "missing": args.missing and tuple(dict.fromkeys(("", *args.missing))),
        "decimal_sign": args.decimal_sign,
        "thousands": args.thousands,
        "date_order": args.date_order and DateOrder(args.date_order),
    }
    form = replace(known, **{name: value for name, value in typed.items() if value is not None})
    check_format(form)
    return form


def start(args: argparse.Namespace, console: Console) -> int:
    from synth.app.jobs.kinds.header import named_columns
    from synth.dictionaries import starter, starter_notes
    from synth.dictionaries.remarks import without_personal

    data, file = existing(args.data, table=args.table), _format(args, FileFormat())
    name = args.name or data.table or Path(data.called).stem
    columns = without_personal(named_columns(data, file))
    skeleton = starter(columns, name=name, population=args.population or name, file=file)
    if args.domains is not None:
        skeleton = _with_domains(skeleton, existing_file(args.domains, what="file of domains"))
    _write(json.dumps(skeleton, indent=1, ensure_ascii=False), args.out, console)
    for note in starter_notes(skeleton):
        console.note(note)
    return 0


def _with_domains(skeleton: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return a first schema with the domains in the lines of a text file.

    Raises: `Mistake` for a line with an unknown name, and for a domain that cannot be used as it is written.
    """
    from synth.app.project.describe.columns import entries_of, problems_of
    from synth.app.project.describe.several import pasted

    known = [str(entry["name"]) for entry in entries_of(skeleton)]
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise Mistake(f"The file of domains {str(path)!r} is not UTF-8 text. Save it as UTF-8.") from None
    document, named = pasted(skeleton, text)
    unknown = [name for name in named if known and name not in known]
    if unknown:
        raise Mistake(
            f"The file has no column {unknown[0]!r}, which the file of domains describes. Its columns are: "
            f"{', '.join(known)}."
        )
    beside = [str(entry["name"]) for entry in entries_of(document) if entry["name"] not in named]
    complete = {**document, "population": "p", "unit": {"max_rows": 1}}
    if problems := [p for p in problems_of(complete, leave=beside) if p.startswith("Column ")]:
        raise Mistake("\n".join(problems))
    return document


def check(args: argparse.Namespace, console: Console) -> int:
    """Return 0 if the schema is usable and, if requested, fits the file, and otherwise 7."""
    from synth.dictionaries import load_schema, warnings
    from synth.rules import parse_rules

    schema = load_schema(existing_file(args.schema, what="schema"))
    rules = parse_rules(existing_file(args.rules, what="file of rules") if args.rules else [], schema)
    _warn((*warnings(schema), *rules.warnings), console)
    if args.against is None:
        columns, count = len(schema.modelled), len(rules)
        said = f"{number_of(columns, 'column')}, {number_of(count, 'rule')}"
        sentence = f"The schema {schema.name!r} can be used: {said}."
        console.result(sentence, ok=True, columns=columns, rules=count)
        return 0
    return _fit(schema, existing(args.against, table=args.table), console)


def check_file(args: argparse.Namespace, console: Console) -> int:
    """Return 0 if the file fits its schema, and otherwise 7."""
    from synth.dictionaries import load_schema
    from synth.rules import parse_rules

    schema = load_schema(existing_file(args.schema, what="schema"))
    if args.rules:
        _warn(parse_rules(existing_file(args.rules, what="file of rules"), schema).warnings, console)
    return _fit(schema, existing(args.data, table=args.table), console)


def _warn(sentences: Sequence[str], console: Console) -> None:
    for sentence in sentences:
        console.say(f"Warning: {sentence}")
        console.tell("warning", sentence=sentence)


def remarks_on_header(schema: Schema, data: Address) -> tuple[str, ...]:
    """Return sentences about the header of a table, which is public. Raises: as `header_only`."""
    from synth.dictionaries.remarks import header_remarks
    from synth.private.reading.files import header_only

    names = header_only(data, schema.file)
    return header_remarks(names, schema) if names else ()


def _fit(schema: Schema, data: Address, console: Console) -> int:
    """Print remarks on the header, and then how well each column fits."""
    from synth.evaluate.fit import MARK, fit, to_be_estimated

    for remark in remarks_on_header(schema, data):
        console.say(remark)
        console.tell("header", sentence=remark)
    console.say(MARK)
    console.tell("mark", sentence=MARK)
    fits, strange = True, False
    for one in fit(schema, data):
        fits, strange = fits and one.band.is_good, strange or bool(one.found)
        console.say(f"{one.column}: {one.band.value}")
        if one.found:
            console.say(f"  {one.found}")
        console.tell("column", column=one.column, band=one.band.value, ok=one.band.is_good, found=one.found)
    remember(data)
    for column in to_be_estimated(schema):
        console.say(f"{column}: {_UNKNOWN}")
        console.tell("column", column=column, band=_UNKNOWN, ok=None)
    console.result(
        ("The file fits, except for the cells and rows above." if strange else "The file fits.")
        if fits
        else "Some columns have many cells outside their declared domain. Changing the "
        "schema because of this is a choice made after viewing private data: state it in the release.",
        ok=fits,
    )
    return 0 if fits else FAILED_CHECK


def convert(args: argparse.Namespace, console: Console) -> int:
    from synth.dictionaries import dump_schema, read_draft

    source = existing_file(args.source, what="document")
    schema = read_draft(source.read_bytes(), name=source.name).completed(
        population=args.population,
        max_rows=args.max_rows,
        name=args.name,
        id_column=args.id_column,
        rows_public=args.rows_public,
    )
    schema = replace(schema, file=_format(args, schema.file))
    _write(json.dumps(dump_schema(schema), indent=1, ensure_ascii=False), args.out, console)
    return 0


def _write(text: str, out: str | None, console: Console) -> None:
    if out is None:
        print(text)
        return
    write_new(Path(out), text + "\n")
    console.result(f"Wrote {out}.", out=out)
