"""Write the synthetic table as CSV for Excel, or as the private file declares its cells."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import pandas as pd

from synth.core.axis import Axis
from synth.core.discretisation import decimals_of
from synth.core.numbers import to_places
from synth.core.schema import DateOrder, FileFormat, Kind
from synth.release.csv_text import guard
from synth.release.formats.content import Content, is_blank

MARK = "\ufeff"
"""The byte-order mark, by which Excel recognises UTF-8."""
DATES = {
    DateOrder.YEAR_FIRST: "%Y-%m-%d",
    DateOrder.DAY_FIRST: "%d.%m.%Y",
    DateOrder.MONTH_FIRST: "%m/%d/%Y",
}


def for_excel(content: Content, *, separator: str = "") -> bytes:
    """Return CSV text with decimal points, a byte-order mark, and dates as year-month-day.

    `separator` is the sign between cells, a comma by default.
    """
    return _text(content, FileFormat(), separator or ",")


def as_source(content: Content, *, separator: str = "") -> bytes:
    """Return CSV text with the decimal sign and the order of dates that the schema declares for the file.

    `separator` is the sign between cells: by default that of the file, or a semicolon if this sign is a comma
    and the decimal sign too.
    """
    form = content.form
    usual = ";" if form.delimiter == form.decimal_sign else form.delimiter
    return _text(content, form, separator or usual)


def _text(content: Content, form: FileFormat, separator: str) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\r\n")
    frame = content.shown
    writer.writerow([guard(str(name)) for name in frame.columns])
    columns = [
        _cells(frame[axis.name], axis, form.of(axis.column) if form != FileFormat() else form)
        for axis in content.axes
    ]
    writer.writerows(zip(*columns, strict=True))
    return (MARK + out.getvalue()).encode("utf-8")


def _cells(series: pd.Series[Any], axis: Axis, form: FileFormat) -> list[str]:
    write = _writer(axis, form)
    return ["" if is_blank(cell) else write(cell) for cell in series.tolist()]


def _writer(axis: Axis, form: FileFormat) -> Callable[[Any], str]:
    """Return a function that writes a cell of the column."""
    kind = axis.column.kind
    if axis.column.holds_bands:
        return lambda cell: guard(str(cell))
    if kind is Kind.DECIMAL:
        places = decimals_of(axis)
        return lambda cell: to_places(cell, places).replace(".", form.decimal_sign)
    if kind is Kind.DATE:
        order = DATES[form.date_order]
        return lambda cell: pd.Timestamp(cell).strftime(order)
    return lambda cell: guard(cell) if isinstance(cell, str) else str(cell)
