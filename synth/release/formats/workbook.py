"""Write the synthetic table as an Excel workbook: the data, the variables, and the labels of values.

Text is stored as text, never as a formula. The file has no user name, and its only time is the day of the
release, so the same table always gives the same bytes.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any

from synth.core.errors import Mistake
from synth.core.schema import Kind
from synth.release.csv_text import guard
from synth.release.formats.content import Content, check_library, is_blank, labels_of

MOST_ROWS, MOST_COLUMNS = 2**20, 2**14
"""Limits of a sheet, with the header."""
EXACT = 10**15
"""Numbers from here on are written as text, because Excel keeps 15 digits."""
FIRST_DAY = dt.date(1900, 3, 1)
"""Dates before this day are written as text, because Excel counts a day in 1900 that did not exist."""
VARIABLES, LABELS = "variables", "labels"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_TIME = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*")
_UNDATED = (1980, 1, 1, 0, 0, 0)


def write(content: Content) -> bytes:
    """Return the workbook. Raises: `Mistake` if the table is too large, or openpyxl is not installed."""
    check_library("openpyxl", "An Excel file")
    import openpyxl

    frame = content.shown
    if len(frame) >= MOST_ROWS or len(frame.columns) > MOST_COLUMNS:
        raise Mistake(
            f"An Excel sheet has at most {MOST_ROWS - 1:,} rows and {MOST_COLUMNS:,} columns, and this table "
            f"has {len(frame):,} rows and {len(frame.columns):,} columns. Use CSV or Parquet."
        )
    book = openpyxl.Workbook(write_only=True)
    book.properties.title, book.properties.creator = content.title, "Marginalia"
    dates = {
        axis.name for axis in content.axes if axis.column.kind is Kind.DATE and not axis.column.holds_bands
    }
    columns = [
        [_value(cell, is_date=str(name) in dates) for cell in frame[name].tolist()] for name in frame.columns
    ]
    _fill(book, content.sheet, (list(map(str, frame.columns)), *zip(*columns, strict=True)))
    _fill(book, VARIABLES, _variables(content))
    _fill(book, LABELS, _labels(content))
    out = io.BytesIO()
    book.save(out)
    return _undated(out.getvalue(), content.day)


def _variables(content: Content) -> Iterator[list[Any]]:
    yield ["name", "label", "kind", "description"]
    for axis in content.axes:
        column = axis.column
        yield [column.name, column.heading, column.kind.words, column.description]
    yield []
    yield [content.title]


def _labels(content: Content) -> Iterator[list[Any]]:
    yield ["name", "value", "label"]
    for axis in content.axes:
        for value, label in labels_of(axis).items():
            yield [axis.name, value, label]


def _fill(book: Any, name: str, rows: Iterable[Iterable[Any]]) -> None:
    from openpyxl.cell import WriteOnlyCell

    sheet = book.create_sheet(name)
    for row in rows:
        cells = []
        for value in row:
            cell = WriteOnlyCell(sheet, _CONTROL.sub("\ufffd", value) if isinstance(value, str) else value)
            if isinstance(value, str):
                cell.data_type = "s"
                cell.quotePrefix = guard(value) != value
            elif isinstance(value, dt.date):
                cell.number_format = "yyyy-mm-dd"
            cells.append(cell)
        sheet.append(cells)


def _value(cell: Any, *, is_date: bool) -> Any:
    """Return a cell as Excel stores it without loss."""
    if is_blank(cell):
        return None
    if is_date:
        day = dt.date.fromisoformat(str(cell)[:10])
        return day if day >= FIRST_DAY else day.isoformat()
    if isinstance(cell, str | bool):
        return cell
    number = cell.item() if hasattr(cell, "item") else cell
    return str(number) if isinstance(number, int) and abs(number) >= EXACT else number


def _undated(content: bytes, day: dt.date) -> bytes:
    """Return the workbook with the day of the release as its only time."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as book, zipfile.ZipFile(out, "w") as archive:
        for name in book.namelist():
            part = book.read(name)
            if name == "docProps/core.xml":
                part = _TIME.sub(rb"\g<1>" + f"{day}T00:00:00Z".encode(), part)
            entry = zipfile.ZipInfo(name, _UNDATED)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, part)
    return out.getvalue()
