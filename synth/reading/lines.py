"""How a CSV file writes things: the form of its texts, its declared marks, the names in its first line.

Text is bytes seen as latin-1, one character per byte, so that nothing is undecodable (see `wire`).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from synth.schema import FileFormat

SPACE = " \t\n\r\v\f"
"""What surrounds a value without being part of it. ASCII only: other bytes may be part of a character."""

MARK = "\ufeff"
"""What may stand before the first line of a text file in UTF-8."""

LONGEST_HEADER = 1 << 24
LARGEST_FIELD = (1 << 31) - 1


def wire(text: str) -> str:
    """A declared text as the file writes it: stripped, its UTF-8 bytes seen as latin-1."""
    return text.strip(SPACE).encode("utf-8", "replace").decode("latin-1")


def unwire(text: str) -> str | None:
    """The text that these bytes are in UTF-8; None if they are none."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return None


def text_of(text: str) -> str | None:
    """The text that these bytes are in UTF-8, else in Windows-1252; None if they are neither."""
    own = unwire(text)
    if own is not None:
        return own
    try:
        return text.encode("latin-1").decode("cp1252")
    except UnicodeDecodeError:
        return None


def single_bytes(text: str) -> str:
    """A declared text as a file in Windows-1252, or latin-1, holds it: stripped, a byte for each character;
    as in UTF-8 where it cannot."""
    text = text.strip(SPACE)
    try:
        return text.encode("cp1252").decode("latin-1")
    except UnicodeEncodeError:
        return text if all(ord(c) < 256 for c in text) else wire(text)


def read_header(path: Path, form: FileFormat) -> list[str]:
    """The names in the first line after `skip_lines`; nothing behind it is read. Private side: seal it."""
    with path.open("rb") as file:
        for _ in range(form.skip_lines):
            file.readline(LONGEST_HEADER)
        start = file.tell()
        line = file.readline(LONGEST_HEADER).decode("latin-1")
    return header_names(line if start else line.removeprefix(wire(MARK)), form)


def header_names(line: str, form: FileFormat) -> list[str]:
    """The column names a header line gives, stripped, each read as a value is (`text_of`); bytes that are no
    text stay as latin-1."""
    cells = cells_of(line.replace("\r", " ").rstrip("\n"), form)
    names = [cell.strip(SPACE) for cell in cells]
    return [name if (text := text_of(name)) is None else text for name in names]


def cells_of(record: str, form: FileFormat) -> list[str]:
    """The cells of one record; an unfinished quote ends with it."""
    return next(iter(reader([record], form)), [""])


def reader(records: list[str], form: FileFormat) -> Iterator[list[str]]:
    """The csv module on these records, at its most forgiving."""
    csv.field_size_limit(LARGEST_FIELD)
    return csv.reader(
        records,
        delimiter=form.delimiter,
        quotechar=form.quote or None,
        quoting=csv.QUOTE_MINIMAL if form.quote else csv.QUOTE_NONE,
        skipinitialspace=form.delimiter != " ",
    )
