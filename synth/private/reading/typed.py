"""Write the values of a typed column as the strings that a CSV file would have.

All values are accepted: a value that cannot be written as such a string, for example a time out of range,
becomes a blank, and no value changes the string of another value. Whether a type is readable (`is_readable`)
follows from the file's footer, so it is not a private fact.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from synth.private.reading.lines import wire
from synth.private.reading.text_column import TextColumn, Texts, stripped

SECONDS_A_DAY = 86_400
TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
"""The number of time units in a second."""

FIRST_SECOND = int(np.datetime64("0001-01-01T00:00:00").astype(np.int64))
LAST_SECOND = int(np.datetime64("9999-12-31T23:59:59").astype(np.int64))


def is_readable(column: pa.DataType) -> bool:
    """Whether every value of the type is a single string.

    This is true for all types except lists, maps, structures, calendar intervals and durations, which have no
    unit that a cell states.
    """
    if isinstance(column, pa.BaseExtensionType):
        return is_readable(column.storage_type)
    if pa.types.is_dictionary(column):
        return is_readable(column.value_type)
    return not (pa.types.is_nested(column) or pa.types.is_interval(column) or pa.types.is_duration(column))


def typed_column(values: Any, sign: str) -> TextColumn:
    """Return a column of typed values. Only the distinct values are converted to strings (`texts_of`).

    Shapes: `index: int32[len(values)]`.
    """
    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    encoded = values.dictionary_encode(null_encoding="encode")
    index = encoded.indices.to_numpy().astype(np.int32, copy=False)
    return TextColumn(index, stripped(texts_of(encoded.dictionary, sign)))


def texts_of(values: Any, sign: str) -> Texts:
    """Return the string for each value of a readable pyarrow array, in the form of `lines.wire`.

    A blank becomes "". Numbers are written with this decimal sign, and strings are unchanged.

    Shapes: large_string[len(values)].
    """
    column = values.type
    if isinstance(column, pa.BaseExtensionType):
        return texts_of(values.storage, sign)
    if pa.types.is_dictionary(column):
        return texts_of(values.dictionary_decode(), sign)
    if pa.types.is_temporal(column):
        return _moments(values)
    if _is_bytes(column):
        return _decoded(values).fill_null("")
    written = values.cast(pa.large_string())
    if pa.types.is_floating(column):
        written = pc.replace_substring_regex(written, r"^(-?[0-9]+)$", r"\1.0")
    return pc.replace_substring(written, pattern=".", replacement=wire(sign)).fill_null("")


def _is_bytes(column: pa.DataType) -> bool:
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    blobs = (
        pa.types.is_binary,
        pa.types.is_large_binary,
        pa.types.is_binary_view,
        pa.types.is_fixed_size_binary,
    )
    return any(is_one(column) for is_one in (*texts, *blobs))


def _decoded(values: Any) -> Texts:
    """Decode bytes to one character each, because some of them may not be UTF-8."""
    if pa.types.is_fixed_size_binary(values.type):
        values = values.cast(pa.binary())
    written = [None if v is None else v.decode("latin-1") for v in values.cast(pa.large_binary()).to_pylist()]
    return pa.array(written, pa.large_string())


def _moments(values: Any) -> Texts:
    """Return dates, times of day, or both as text, in UTC and to the second, for years from 1 to 9999."""
    column = values.type
    width = pa.int32() if column.bit_width == 32 else pa.int64()
    numbers = values.view(width).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    is_time, is_date = pa.types.is_time(column), pa.types.is_date(column)
    if pa.types.is_date32(column):
        seconds = numbers * SECONDS_A_DAY
    else:
        seconds = numbers // TICKS["ms" if is_date else column.unit]
    first, last = (0, SECONDS_A_DAY - 1) if is_time else (FIRST_SECOND, LAST_SECOND)
    is_there = np.asarray(values.is_valid()) & (first <= seconds) & (seconds <= last)
    moments = np.datetime_as_string(np.where(is_there, seconds, 0).astype("datetime64[s]"))
    part = slice(11, 19) if is_time else slice(10) if is_date else slice(19)
    written = [moment.replace("T", " ")[part] for moment in moments.tolist()]
    return pc.if_else(pa.array(is_there), pa.array(written, pa.large_string()), "")
