"""Write the synthetic table as CSV text that is safe to open in a spreadsheet, and read it without loss.

The text follows RFC 4180: UTF-8 without a byte order mark, a header line, commas, CRLF, quotes where needed.
Dates are in ISO format. Decimals have a decimal point and the declared number of digits after it. A missing
cell is empty. There is no index column.

The guard: a spreadsheet may run a text cell as a formula if it begins with `=`, `+`, `-`, `@`, a tab, a line
break or a null character, possibly after spaces. One apostrophe is added before such a declared label (or
column name), but never before a number, a date, or a label that is a plain number such as `-1`. The guard can
be undone: a label that could be mistaken for a guarded label is also guarded, so removing one apostrophe
(`unguard`) restores every label.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.discretisation import decimals_of
from synth.core.errors import Mistake
from synth.core.numbers import to_places
from synth.core.schema import Kind, Value, in_units
from synth.release.codes import numbers_of

_FORMULA = re.compile(r"[\s']*[\0=+\-@\uff1d\uff0b\uff0d\uff20\u2212]|'*[\t\r\n\v\f\0]")
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?\Z", re.ASCII)
_DTYPES = {Kind.INTEGER: "Int64", Kind.DECIMAL: "Float64", Kind.DATE: "string"}
EPOCH = dt.date(1970, 1, 1)
_END = "\r\n"
_LONGEST_BLOCK = (1 << 31) - 2
"""Size, in bytes, of the largest text that pyarrow reads as one block."""

CELLS_AT_A_TIME = 1 << 22
"""Maximum number of cells that are written at once.

Cells as Python strings need ten times the memory of the output.
"""


def guard(text: str) -> str:
    """Add an apostrophe before a label that a spreadsheet could run as a formula.

    >>> guard("=1+1"), guard("-1"), guard("plain"), guard("'=1+1")
    ("'=1+1", '-1', 'plain', "''=1+1")
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.match(text) else text


def unguard(text: str) -> str:
    """Undo `guard`: `unguard(guard(x)) == x` for every string x.

    >>> unguard("'=1+1"), unguard("'tis")
    ('=1+1', "'tis")
    """
    return text[1:] if text.startswith("'") and guard(text[1:]) != text[1:] else text


def labels_of(axis: Axis) -> tuple[Value, ...]:
    """Return the values that a categorical column can have: the declared values, and *other* if the column
    has it.
    """
    return axis.labels if axis.other is None else (*axis.labels, axis.other)


def write(frame: pd.DataFrame, axes: Sequence[Axis], *, padded: bool = True) -> str:
    """Return the table as CSV text, with columns and rows in the order of the frame, and labels if declared.

    All cells of a decimal column have the same number of decimals (`core.discretisation.decimals_of`). Only
    values that need more decimals have more, such as a declared end of the range. Without `padded`, trailing
    zeros are omitted, as in releases up to version 0.6.
    """
    return header(frame.columns) + lines(frame, axes, padded=padded)


def of_any(frame: pd.DataFrame, *, own: pd.DataFrame | None = None) -> str:
    """Return a table of an analyst as CSV text with guarded texts, in no particular format of numbers.

    Texts that are also in `own`, the analyst's own table, stay as they are.
    """
    safe = frame.copy()
    for name in frame.columns:
        cells = frame[name].map(lambda cell: guard(cell) if isinstance(cell, str) else cell)
        safe[name] = cells if own is None or name not in own else cells.where(own[name].isna(), frame[name])
    return safe.rename(columns=lambda name: guard(str(name))).to_csv(index=False)


def header(names: Iterable[object]) -> str:
    """Return the header line of the text."""
    out = io.StringIO()
    csv.writer(out, lineterminator=_END).writerow([guard(str(name)) for name in names])
    return out.getvalue()


def lines(frame: pd.DataFrame, axes: Sequence[Axis], *, padded: bool = True) -> str:
    """Return the lines of some rows in the format of `write`, without the header."""
    places = {a.name: decimals_of(a) for a in axes if padded and a.column.kind is Kind.DECIMAL}
    rows = max(1, CELLS_AT_A_TIME // max(len(frame.columns), 1))
    some = (frame.iloc[start : start + rows] for start in range(0, len(frame), rows))
    return "".join(_lines(labelled(part, axes), places) for part in some)


def _lines(frame: pd.DataFrame, places: Mapping[str, int]) -> str:
    *others, last = (
        _cells(frame[name], is_only=len(frame.columns) == 1, places=places.get(str(name)))
        for name in frame.columns
    )
    ends = pa.scalar(_END, pa.large_string())
    last = pc.binary_join_element_wise(last, ends, pa.scalar("", pa.large_string()))
    joined = pc.binary_join_element_wise(*others, last, pa.scalar(",", pa.large_string()))
    whole = np.frombuffer(joined.buffers()[1], dtype=np.int64)[len(frame)]
    return str(memoryview(joined.buffers()[2] or b"")[:whole], "utf-8")


def labelled(frame: pd.DataFrame, axes: Sequence[Axis]) -> pd.DataFrame:
    """Return the table with labels and band names instead of values, for the columns that have them in the
    CSV.
    """
    return frame.assign(**{a.name: _labelled(frame[a.name], a) for a in axes if a.column.write_labels})


def first(raw: bytes, rows: int) -> pd.DataFrame:
    """Return the first rows of a file, with each cell unchanged. Raises: `Mistake` if it is not CSV text."""
    text = io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8", newline="")
    try:
        header, *lines = itertools.islice(csv.reader(text, strict=True), rows + 1)
        return pd.DataFrame(lines, columns=header)
    except (csv.Error, ValueError):
        raise Mistake("The synthetic table is not CSV text.") from None


@dataclass(frozen=True, eq=False, kw_only=True)
class Parsed:
    """The content of a CSV text.

    `outside` has the number of cells outside the declared domain, per column.
    """

    frame: pd.DataFrame
    outside: dict[str, int]


def read(text: str, axes: Sequence[Axis]) -> Parsed:
    """Read a text written by `write`, using only the declared domain.

    Cells outside the domain are counted and become missing. If the text has band names instead of numbers or
    dates, so does the result. Raises: `Mistake` if the header or a line does not have the declared columns,
    or if there is a null character, because some libraries end a text there and others do not.
    """
    if "\0" in text:
        raise Mistake("The synthetic table is not CSV text.")
    columns = _plain_columns(text, len(axes)) or _columns(text, len(axes))
    if columns.header != [guard(axis.name) for axis in axes]:
        raise Mistake("The synthetic table does not have the declared columns in the declared order.")
    if columns.cells is None:
        raise Mistake("The synthetic table has a line with too few or too many cells.")
    parsed, outside = {}, {}
    for axis, (codes, texts) in zip(axes, columns.cells, strict=True):
        parsed[axis.name], outside[axis.name] = _parsed(codes, texts, axis)
    return Parsed(frame=pd.DataFrame(parsed), outside=outside)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Columns:
    """The cells of a text by column.

    For each column, it has the distinct texts, and the index of each cell in these texts. It is None if lines
    have different numbers of cells.
    """

    header: list[str]
    cells: list[tuple[NDArray[Any], Any]] | None


def _columns(text: str, width: int) -> _Columns:
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header, rows = next(lines, []), list(lines)
    except csv.Error:
        raise Mistake("The synthetic table is not CSV text.") from None
    if any(len(row) != width for row in rows):
        return _Columns(header=header, cells=None)
    columns = ([row[place] for row in rows] for place in range(width))
    return _Columns(header=header, cells=[pd.factorize(np.array(texts, dtype=object)) for texts in columns])


def _plain_columns(text: str, width: int) -> _Columns | None:
    """Read a text without quotes with pyarrow, with the same result as `_columns`.

    Return None if the result could differ.
    """
    ends = {text.count(end) for end in (_END, *_END)}
    if '"' in text or 2 * _END in text or width < 2 or len(ends) > 1 or not text.endswith(_END):
        return None
    top = text.index("\n") + 1
    names = [str(place) for place in range(width)]
    lines = ",".join(names).encode() + b"\n" + text[top:].encode()
    if len(lines) > _LONGEST_BLOCK:
        return None
    try:
        table = pacsv.read_csv(
            pa.BufferReader(lines),
            read_options=pacsv.ReadOptions(use_threads=False, block_size=len(lines) + 1),
            parse_options=pacsv.ParseOptions(quote_char=False, ignore_empty_lines=False),
            convert_options=pacsv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.dictionary(pa.int32(), pa.string())), null_values=[]
            ),
        )
    except pa.ArrowException:
        return None
    chunks = [table[name].combine_chunks() for name in names]
    header = next(csv.reader([text[:top]], strict=True), [])
    return _Columns(header=header, cells=[(c.indices.to_numpy(), c.dictionary.to_pylist()) for c in chunks])


def _parsed(codes: NDArray[Any], texts: Any, axis: Axis) -> tuple[pd.Series[Any], int]:
    if not axis.labels and not axis.edges:
        cells = np.array([*(unguard(text) or None for text in texts), None], dtype=object)[codes]
        return pd.Series(cells, dtype="string"), 0
    names = axis.column.labels if axis.column.holds_bands else labels_of(axis)
    value_of = {text: value for value in names for text in _forms(_shown(value, axis))}
    values = [value_of.get(t) if names else _in_range(t, axis) for t in texts]
    allowed = [v is not None or (t == "" and axis.column.blank) for t, v in zip(texts, values, strict=True)]
    cells = np.array([*values, None], dtype=object)[codes]
    dtype = object if names else _DTYPES[axis.column.kind]
    return pd.Series(cells, dtype=dtype), int((~np.array([*allowed, True])[codes]).sum())


def read_column(texts: pd.Series[Any], axis: Axis) -> tuple[pd.Series[Any], int]:
    """Return the cells of one column as `read` does. Cells outside the domain are counted and become
    missing.
    """
    return _parsed(*pd.factorize(texts), axis)


def as_read(series: pd.Series[Any], axis: Axis) -> pd.Series[Any]:
    """Return a column of numbers or dates from another file format of the table, in the type that `read`
    returns.
    """
    if axis.column.kind is Kind.DATE:
        series = series.map(lambda day: None if pd.isna(day) else day.isoformat())
    return pd.Series(series.array, index=series.index, dtype=_DTYPES[axis.column.kind])


def _labelled(series: pd.Series[Any], axis: Axis) -> pd.Series[Any]:
    """Return the labels of a column of values, or the band names of a column of numbers or dates.

    Missing values stay missing.
    """
    if axis.column.holds_bands:
        return _banded(series, axis)
    codes, uniques = pd.factorize(series, use_na_sentinel=True)
    shown = np.array([*(_shown(value, axis) for value in uniques), None], dtype=object)
    return pd.Series(shown[codes], index=series.index, dtype=object)


def _banded(series: pd.Series[Any], axis: Axis) -> pd.Series[Any]:
    """Return the band names of a column of numbers or dates.

    Values outside the range stay unchanged, so that `read` counts them.
    """
    column, numbers = axis.column, numbers_of(series, axis)
    bands = np.searchsorted([in_units(cut) for cut in column.cuts], numbers, side="right")
    last = axis.edges[-1] - (column.kind is not Kind.DECIMAL)
    shown = np.array(column.labels, dtype=object)[bands]
    shown = np.where((axis.edges[0] <= numbers) & (numbers <= last), shown, series.to_numpy(dtype=object))
    shown[series.isna().to_numpy()] = None
    return pd.Series(shown, index=series.index, dtype=object)


def _shown(value: Value, axis: Axis) -> Value:
    """Return the text for a declared value: its label, or the value itself."""
    return axis.column.label_of(value) if axis.column.write_labels else value


def _forms(value: Value) -> tuple[str, ...]:
    """Return the possible texts of a value. A whole number can also be written with a decimal point."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return (_cell(value), _cell(float(value))) if whole else (_cell(value),)


def _in_range(text: str, axis: Axis) -> Any:
    """Return the number or date in a cell if it is on the axis, otherwise None."""
    low, high = axis.edges[0], axis.edges[-1]
    kind = axis.column.kind
    try:
        if kind is Kind.DECIMAL:
            return float(text) if low <= float(text) <= high else None
        value = int(text) if kind is Kind.INTEGER else (dt.date.fromisoformat(text) - EPOCH).days
    except ValueError:
        return None
    if not low <= value <= high - 1:
        return None
    return value if kind is Kind.INTEGER else text


def _cells(series: pd.Series[Any], *, is_only: bool, places: int | None) -> pa.Array:
    """Return the cells of a column as they are written in the text, quoted if needed.

    Every distinct value is formatted once. Decimals have `places` digits after the point.
    """
    if pd.api.types.is_integer_dtype(series.dtype):
        digits = pa.array(series, from_pandas=True).cast(pa.large_string())
        return digits.fill_null(_written("", is_only=is_only))
    if pd.api.types.is_float_dtype(series.dtype):
        numbers = series.to_numpy(dtype=np.float64, na_value=np.nan)
        codes, bits = pd.factorize(numbers.view(np.int64))  # compare bits, to distinguish 0.0 from -0.0
        texts = [to_places(x, places) if x == x else "" for x in bits.view(np.float64).tolist()]
    else:
        codes, uniques = pd.factorize(series, use_na_sentinel=True)
        texts = [*(_cell(value) for value in uniques), ""]
        codes = np.where(codes < 0, len(texts) - 1, codes)
    written = pa.array([_written(text, is_only=is_only) for text in texts], pa.large_string())
    return written.take(pa.array(codes))


def _written(text: str, *, is_only: bool) -> str:
    """Return a text as the csv module writes it in a row.

    If it is the only cell of its row, an empty text must be quoted.
    """
    if text and text.isalnum():
        return text
    out = io.StringIO()
    csv.writer(out, lineterminator=_END).writerow([text] if is_only else [text, ""])
    return out.getvalue().removesuffix(_END if is_only else "," + _END)


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return guard(value)
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (dt.date, np.datetime64)):
        return pd.Timestamp(value).date().isoformat()
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(int(value))
