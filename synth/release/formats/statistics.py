"""Write the synthetic table for Stata and SPSS, with labels of variables and values.

A column with a list of values becomes numbers with labels: the values themselves if all are whole numbers,
otherwise 1, 2, ... in their declared order. Names that these programs do not accept are changed; the label of
the variable then has the name of the column.
"""

from __future__ import annotations

import datetime as dt
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synth.core.axis import Axis
from synth.core.discretisation import decimals_of
from synth.core.schema import Kind, Value
from synth.release.csv_text import labels_of as values_of
from synth.release.formats.content import Content, check_library, is_blank, labels_of, names_for

LONGEST_NAME = {"dta": 32, "sav": 64}
LONGEST_LABEL = {"dta": 80, "sav": 250}
"""Largest number of characters in the label of a variable. SPSS counts bytes, of which it accepts 256."""
LONGEST_OF_VALUE = 120
"""Largest number of bytes in the label of a value in SPSS."""
LARGEST_CODE = 2**31 - 30
"""Stata has labels only for numbers up to here."""
_STAMP = re.compile(rb"(<timestamp>).[^<]*(</timestamp>)", re.S)
_SAV_TIME = slice(92, 109)
"""The creation date (9 bytes) and time (8 bytes) in the header of an SPSS file."""


def stata(content: Content) -> bytes:
    """Return the table as a Stata file of version 118, which Stata 14 and later read.

    Raises: `Mistake` if pyreadstat is not installed.
    """
    raw = _written(content, "dta")
    stamp = f"{content.day:%d %b %Y} 00:00".encode()
    return _STAMP.sub(lambda found: found[1] + bytes([len(stamp)]) + stamp + found[2], raw, count=1)


def spss(content: Content) -> bytes:
    """Return the table as an SPSS file. Raises: `Mistake` if pyreadstat is not installed."""
    raw = bytearray(_written(content, "sav"))
    raw[_SAV_TIME] = f"{content.day:%d %b %y}00:00:00".encode()
    return bytes(raw)


def coded(axis: Axis) -> dict[Value, int]:
    """Return the number of each value of a column with a list of values, and nothing for other columns."""
    values = values_of(axis) if axis.column.kind.has_values and axis.labels else ()
    numbers = [_whole(value) for value in values]
    if len({*numbers}) == len(values) and None not in numbers:
        return {value: number for value, number in zip(values, numbers, strict=True) if number is not None}
    return {value: place for place, value in enumerate(values, start=1)}


def _whole(value: Value) -> int | None:
    try:
        number = int(str(value))
    except ValueError:
        return None
    return number if abs(number) <= LARGEST_CODE and str(number) == str(value) else None


def _written(content: Content, suffix: str) -> bytes:
    check_library("pyreadstat", "A file of Stata or SPSS")
    import pyreadstat

    names = names_for([axis.name for axis in content.axes], longest=LONGEST_NAME[suffix])
    frame, labels, formats, values = {}, {}, {}, {}
    for axis in content.axes:
        name = names[axis.name]
        frame[name] = _cells(content.frame[axis.name], axis)
        labels[name] = _label(axis, name)[: LONGEST_LABEL[suffix]]
        if own := coded(axis):
            called = labels_of(axis)
            values[name] = {number: _short(called[value]) for value, number in own.items()}
        if (form := _format(axis, suffix)) is not None:
            formats[name] = form
    options: dict[str, Any] = {
        "file_label": content.title[:64],
        "column_labels": labels,
        "variable_value_labels": values,
        "variable_format": formats,
    }
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / f"table.{suffix}"
        table = pd.DataFrame(frame)
        if suffix == "dta":
            pyreadstat.write_dta(table, place, version=14, **options)
        else:
            pyreadstat.write_sav(table, place, **options)
        return place.read_bytes()


def _cells(series: pd.Series[Any], axis: Axis) -> Any:
    """Return a column as numbers, dates or texts, as pyreadstat writes them."""
    if own := coded(axis):
        codes, uniques = pd.factorize(series, use_na_sentinel=True)
        spelled = {str(value): number for value, number in own.items()}
        found = [own.get(value, spelled.get(str(value), np.nan)) for value in uniques]
        return np.array([*found, np.nan], dtype=np.float64)[codes]
    cells = [None if is_blank(cell) else cell for cell in series.tolist()]
    if axis.column.kind is Kind.DATE:
        days = [
            cell if cell is None or type(cell) is dt.date else pd.Timestamp(cell).date() for cell in cells
        ]
        return pd.Series(days, dtype=object)
    if axis.column.kind in (Kind.INTEGER, Kind.DECIMAL):
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    return pd.Series(["" if cell is None else str(cell) for cell in cells], dtype=object)


def _label(axis: Axis, name: str) -> str:
    heading = axis.column.heading
    return heading if name == axis.name or heading != axis.name else axis.name


def _format(axis: Axis, suffix: str) -> str | None:
    """Return the display format of numbers, with the decimals of the column."""
    if axis.column.kind in (Kind.INTEGER, Kind.DECIMAL) or coded(axis):
        places = decimals_of(axis) if axis.column.kind is Kind.DECIMAL else 0
        return f"%12.{places}f" if suffix == "dta" else f"F12.{places}"
    return None


def _short(label: str) -> str:
    return label.encode()[:LONGEST_OF_VALUE].decode("utf-8", "ignore")
