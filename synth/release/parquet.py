"""Write and read the synthetic table as Parquet, without loss, with value lists and the ID of the schema."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.schema import Kind
from synth.release.csv_text import labels_of

COMPRESSION = "zstd"
_TYPES = {Kind.INTEGER: pa.int64(), Kind.DECIMAL: pa.float64(), Kind.DATE: pa.date32()}


def write(frame: pd.DataFrame, axes: Sequence[Axis], *, schema_id: str) -> bytes:
    """Return the `arrow_table` as the bytes of a Parquet file. The same table always gives the same bytes."""
    out = io.BytesIO()
    pq.write_table(arrow_table(frame, axes, schema_id=schema_id), out, compression=COMPRESSION)
    return out.getvalue()


def arrow_table(frame: pd.DataFrame, axes: Sequence[Axis], *, schema_id: str) -> pa.Table:
    """Return the table with its types: value lists as dictionaries (ordered if declared), dates as days.

    Tables with the same axes have the same types and value lists. Labels are written as declared, without a
    guard for spreadsheets. No value list contains a value twice, because pyarrow (26.0.1) would then write
    arbitrary memory contents.
    """
    arrays = [_column(frame[axis.name], axis) for axis in axes]
    fields = [pa.field(axis.name, array.type) for axis, array in zip(axes, arrays, strict=True)]
    schema = pa.schema(fields, metadata={"marginalia.schema": schema_id})
    return pa.Table.from_arrays(arrays, schema=schema)


def write_codes(codes: NDArray[np.integer]) -> bytes:
    """Return encoded rows as the bytes of a Parquet file without names or labels. Shapes: integer[rows,
    columns].
    """
    columns = [pa.array(column.astype(np.int64)) for column in codes.T]
    out = io.BytesIO()
    table = pa.Table.from_arrays(columns, schema=_code_fields(codes.shape[1]))
    pq.write_table(table, out, compression=COMPRESSION)
    return out.getvalue()


def read_codes(content: bytes, *, rows: int, columns: int) -> NDArray[np.int64]:
    """Read encoded rows from a source that may not be trustworthy. Shapes: int64[rows, columns].

    The range of the codes is not checked. Raises: `ValueError` or `OSError` if the bytes were not written by
    `write_codes` for this shape.
    """
    try:
        with pq.ParquetFile(io.BytesIO(content)) as file:
            if file.metadata.num_rows != rows or not file.schema_arrow.equals(_code_fields(columns)):
                raise ValueError("these are not codes of this shape")
            table = file.read()
    except pa.ArrowException:
        raise ValueError("these are not codes of this shape") from None
    if table.num_rows != rows or any(column.null_count for column in table.columns):
        raise ValueError("these are not codes of this shape")
    return np.column_stack([column.to_numpy() for column in table.columns])


def _code_fields(columns: int) -> pa.Schema:
    return pa.schema([pa.field(str(number), pa.int64(), nullable=False) for number in range(columns)])


def read(content: bytes) -> pd.DataFrame:
    """Read the table. Raises: `OSError` or `ValueError` if the bytes are not a Parquet file.

    Whole numbers in a column with missing cells stay whole numbers: as a float, the label 1 would be read as
    1.0.
    """
    table = pq.read_table(io.BytesIO(content))
    frame: pd.DataFrame = table.to_pandas(integer_object_nulls=True, date_as_object=True)
    return frame


class ByColumn:
    """The columns of a table. Each is read when it is accessed, so that only one is in memory.

    Raises: the errors of `read`, and `KeyError` for a column that does not exist.
    """

    def __init__(self, content: bytes) -> None:
        self._file = pq.ParquetFile(io.BytesIO(content))

    def __getitem__(self, name: str) -> pd.Series[Any]:
        column: pa.ChunkedArray = self._file.read(columns=[name])[name]
        series: pd.Series[Any] = column.to_pandas(integer_object_nulls=True, date_as_object=True)
        return series


def _column(series: pd.Series[Any], axis: Axis) -> pa.Array:
    blank = series.isna().to_numpy()
    if not axis.labels and not axis.edges:
        return pa.array(series.to_numpy(dtype=object), pa.string(), mask=blank)
    if axis.column.kind.has_values:
        labels = labels_of(axis)
        plain = len({type(label) for label in labels}) > 1
        words = list(dict.fromkeys(str(label) if plain else label for label in labels))
        position = {word: i for i, word in enumerate(words)}
        codes, uniques = pd.factorize(series, use_na_sentinel=True)
        code_of = np.array([position[str(u) if plain else u] for u in uniques] + [0], dtype=np.int32)
        indices = pa.array(code_of[codes], mask=blank)
        return pa.DictionaryArray.from_arrays(
            indices, pa.array(words), ordered=axis.column.kind is Kind.ORDERED
        )
    if axis.column.kind is Kind.DATE:
        days = pd.to_datetime(series).to_numpy(dtype="datetime64[D]")
        return pa.array(days, mask=blank).cast(pa.date32())
    filled = series.fillna(0).to_numpy(dtype=np.int64 if axis.column.kind is Kind.INTEGER else np.float64)
    return pa.array(filled, type=_TYPES[axis.column.kind], mask=blank)
