"""Parse the first lines of a CSV file, which have the column names, and convert strings to the form of the
file.

Text consists of bytes decoded as latin-1, one character per byte, so that every byte can be decoded (see
`wire`).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from synth.core.errors import Code, Refusal
from synth.core.schema import FileFormat, LineBreaks

SPACE = " \t\n\r\v\f"
"""White space that is removed around a value. It is only ASCII, because other bytes may be part of a
character.
"""

MARK = "\ufeff"
"""The byte-order mark that may start a UTF-8 text file."""

LONGEST_HEADER = 1 << 24
LONGEST_RECORD = 1 << 20
LONGEST_LINE = 1 << 26
LARGEST_FIELD = (1 << 31) - 1


def wire(text: str) -> str:
    """Return a declared string in the form of the file: stripped, with its UTF-8 bytes decoded as latin-1."""
    return text.strip(SPACE).encode("utf-8", "replace").decode("latin-1")


def unwire(text: str) -> str | None:
    """Decode these bytes as UTF-8. Return None if they are not valid UTF-8."""
    return _decoded(text, "utf-8")


def text_of(text: str) -> str | None:
    """Decode these bytes as UTF-8, otherwise as Windows-1252. Return None if they are neither."""
    own = unwire(text)
    return _decoded(text, "cp1252") if own is None else own


def _decoded(text: str, encoding: str) -> str | None:
    try:
        return text.encode("latin-1").decode(encoding)
    except UnicodeDecodeError:
        return None


def take_top(file: BinaryIO, form: FileFormat) -> tuple[str, bytes]:
    """Read everything before the first record. Return the header, and the text that was read beyond it.

    Without a header, the first string is "".

    A header line is cut after `LONGEST_HEADER` bytes, and the rest counts as a record. Raises: `Refusal`
    HEADER_OPEN if quotes join lines and the header spans several lines.
    """
    head = file.read(len(MARK.encode()))
    rest = b"" if head == MARK.encode() else head
    for _ in range(form.skip_lines):
        _, rest = _line(file, rest)
    if not form.header:
        return "", rest
    header, rest = _line(file, rest)
    if (
        form.quote
        and form.line_breaks is not LineBreaks.SPLIT
        and leaves_a_quote_open(header.decode("latin-1"), form)
    ):
        raise Refusal(Code.HEADER_OPEN)
    return header.decode("latin-1"), rest


def leaves_a_quote_open(line: str, form: FileFormat) -> bool:
    """Whether the last cell of a line begins with a quote that the line does not close.

    For a header, only this line is used, because the next line may be a private row, which must not become a
    name.
    """
    return open_quote(form).fullmatch(line.replace("\r", " ").removesuffix("\n")) is not None


def open_quote(form: FileFormat) -> re.Pattern[str]:
    """Return the pattern for `leaves_a_quote_open`. Matching never backtracks."""
    return re.compile(f"(?:{field_of(form)}{re.escape(form.delimiter)})*+{_opened(form)}")


def _line(file: BinaryIO, read: bytes) -> tuple[bytes, bytes]:
    """Return the next line, and the bytes after it that were already read."""
    end = read.find(b"\n") + 1
    return (read[:end], read[end:]) if end else (read + file.readline(LONGEST_HEADER), b"")


def field_of(form: FileFormat) -> str:
    """Return the pattern of a cell with valid quotes. Matching never backtracks."""
    d, q = re.escape(form.delimiter), re.escape(form.quote)
    quoted = f"{_opened(form)}{q}{_blanks(form)}|" if q else ""
    return f"(?:{quoted}[^{q}{d}\n]*+)"


def _opened(form: FileFormat) -> str:
    """Return the pattern of a quoted cell up to its closing quote."""
    q = re.escape(form.quote)
    return f"{_blanks(form)}{q}(?:[^{q}]|{q}{q})*+"


def _blanks(form: FileFormat) -> str:
    return "" if form.delimiter == " " else " *+"


def header_names(header: str, form: FileFormat) -> list[str]:
    """Return the stripped column names of a header line, each decoded like a value (`text_of`).

    Bytes that are not valid text are decoded as latin-1.
    """
    cells = cells_of(header.replace("\r", " ").rstrip("\n"), form)
    names = [cell.strip(SPACE) for cell in cells]
    names = [name[2:-1] if name.startswith('="') and name.endswith('"') else name for name in names]
    return [name if (text := text_of(name)) is None else text for name in names]


def cells_of(record: str, form: FileFormat) -> list[str]:
    """Return the cells of a record. An unclosed quote ends with the record."""
    return next(iter(reader([record], form)), [""])


def reader(records: Sequence[str], form: FileFormat) -> Iterator[list[str]]:
    """Return a reader of the csv module for these records, with its most tolerant settings."""
    csv.field_size_limit(LARGEST_FIELD)
    return csv.reader(
        records,
        delimiter=form.delimiter,
        quotechar=form.quote or None,
        quoting=csv.QUOTE_MINIMAL if form.quote else csv.QUOTE_NONE,
        skipinitialspace=form.delimiter != " ",
    )
