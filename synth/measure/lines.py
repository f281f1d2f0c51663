"""From the bytes of a CSV file to records, totally: every byte string is some list of records.

DuckDB's own CSV reader was not used for this: it aborts on an unfinished quote, on a long line, on a surplus
field and on bytes that are not UTF-8, each time quoting the line, and one such line may swallow its
neighbours. Here a line feed ends a record and nothing one record says changes another, with one exception: a
quoted field may run over several lines if the lines together are a flawless record of exactly the declared
width. A stray quote therefore harms its own line only.

Text is bytes seen as latin-1, one character per byte, so that nothing is undecodable (see `wire`).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from synth.errors import Mistake
from synth.schema import FileFormat

SEPARATOR = chr(0x10FFFF)
"""Stands between the cells of records that held quotes; no byte seen as latin-1 is this character."""

SPACE = " \t\n\r\v\f"
"""What surrounds a value without being part of it. ASCII only: other bytes may be part of a character."""

LONGEST_HEADER = 1 << 24
LARGEST_FIELD = (1 << 31) - 1
BATCH = 4096


def wire(text: str) -> str:
    """A declared text as the file writes it: stripped, its UTF-8 bytes seen as latin-1."""
    return text.strip(SPACE).encode("utf-8", "replace").decode("latin-1")


def unwire(text: str) -> str | None:
    """The text that these bytes are in UTF-8; None if they are none."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return None


def check_format(form: FileFormat) -> None:
    """Raises `Mistake` for a declared delimiter or quote that no CSV file can have."""
    for name, mark, may_lack in (("delimiter", form.delimiter, False), ("quote", form.quote, True)):
        if (may_lack and mark == "") or (len(mark) == 1 and mark.isascii() and mark not in "\r\n\0"):
            continue
        raise Mistake(f"The file's {name} must be a single plain character (you gave {mark!r}).")
    if form.delimiter == form.quote:
        raise Mistake(f"Delimiter and quote cannot be the same character (you gave {form.quote!r} for both).")


def read_header(path: Path, form: FileFormat) -> list[str]:
    """The names in the first line after `skip_lines`; nothing behind it is read. Private side: seal it."""
    with path.open("rb") as file:
        for _ in range(form.skip_lines):
            file.readline(LONGEST_HEADER)
        start = file.tell()
        line = file.readline(LONGEST_HEADER).decode("latin-1")
    return header_names(line if start else line.removeprefix(wire("\ufeff")), form)


def header_names(line: str, form: FileFormat) -> list[str]:
    """The column names a header line gives, stripped; a name that is not UTF-8 is read as latin-1."""
    cells = _cells(line.replace("\r", " ").rstrip("\n"), form)
    names = [cell.strip(SPACE) for cell in cells]
    return [name if (text := unwire(name)) is None else text for name in names]


def split_file(content: bytes, form: FileFormat) -> tuple[str, list[str]]:
    """The header line (empty without header) and all lines behind it.

    A carriage return counts as a space, a line of spaces as nothing.
    """
    text = content.decode("latin-1").replace("\r", " ")
    lines = text.removeprefix(wire("\ufeff")).split("\n")[form.skip_lines :]
    header = lines[0] if form.header and lines else ""
    return header, [line for line in lines[form.header :] if line.strip(" ")]


def split_records(lines: list[str], form: FileFormat, width: int) -> tuple[list[str], list[str]]:
    """Lines to records: those without a quote as they are, the others with `SEPARATOR` between cells."""
    quote = form.quote
    if not quote:
        return lines, []
    marked = [i for i, line in enumerate(lines) if quote in line]
    if not marked:
        return lines, []
    joined, swallowed = _join_broken_lines(lines, marked, form, width)
    single = [lines[i] for i in marked if i not in swallowed and i not in joined]
    taken = swallowed.union(marked)
    plain = [line for i, line in enumerate(lines) if i not in taken]
    return plain, _unquoted(single, form) + [SEPARATOR.join(_cells(r, form)) for r in joined.values()]


def _join_broken_lines(
    lines: list[str], marked: list[int], form: FileFormat, width: int
) -> tuple[dict[int, str], set[int]]:
    """Records that run over several lines, by their first line; and the further lines they take with them.

    A line with an odd number of quotes can only be continued up to the next such line: one try each.
    """
    flawless = _flawless_record(form, width)
    odd = [i for i in marked if lines[i].count(form.quote) % 2]
    joined: dict[int, str] = {}
    swallowed: set[int] = set()
    for first, last in pairwise(odd):
        if first in swallowed:
            continue
        record = "\n".join(lines[first : last + 1])
        if flawless.fullmatch(record):
            joined[first] = record
            swallowed.update(range(first + 1, last + 1))
    return joined, swallowed


def _flawless_record(form: FileFormat, width: int) -> re.Pattern[str]:
    """A record of `width` fields in which every quote is where it should be; matching never backtracks."""
    d, q = re.escape(form.delimiter), re.escape(form.quote)
    blanks = "" if form.delimiter == " " else " *+"
    field = f"{blanks}(?:{q}(?:[^{q}]|{q}{q})*+{q}{blanks}|[^{q}{d}\n]*+)"
    return re.compile(f"{field}(?:{d}{field}){{{max(width - 1, 0)}}}")


def _unquoted(records: list[str], form: FileFormat) -> list[str]:
    """Records read by the csv module, cells joined by `SEPARATOR`.

    Many records go through one reader, for speed. If it made fewer rows than it was given, some record let an
    unfinished quote run into the next: then that batch is read record by record.
    """
    out: list[str] = []
    for start in range(0, len(records), BATCH):
        batch = records[start : start + BATCH]
        rows = list(_reader(batch, form))
        if len(rows) != len(batch):
            rows = [_cells(record, form) for record in batch]
        out.extend(map(SEPARATOR.join, rows))
    return out


def _cells(record: str, form: FileFormat) -> list[str]:
    """The cells of one record; an unfinished quote ends with it."""
    return next(iter(_reader([record], form)), [""])


def _reader(records: list[str], form: FileFormat) -> Iterator[list[str]]:
    csv.field_size_limit(LARGEST_FIELD)
    return csv.reader(
        records,
        delimiter=form.delimiter,
        quotechar=form.quote or None,
        quoting=csv.QUOTE_MINIMAL if form.quote else csv.QUOTE_NONE,
        skipinitialspace=form.delimiter != " ",
    )
