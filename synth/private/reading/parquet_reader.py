"""A Parquet file as columns of text: pyarrow reads it column by column, `reading.typed` writes its values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from synth.core.errors import Code, Refusal
from synth.private.reading.text_column import TextColumns
from synth.private.reading.typed import is_readable, typed_column

BATCH_ROWS = 1 << 16
"""Rows of a column turned into text at a time."""


def parquet_head(path: Path) -> list[tuple[str, str]]:
    """The columns by a Parquet file's footer: their names and what their types are called."""
    with _parquet(path) as file:
        return [(field.name, str(field.type)) for field in file.schema_arrow]


def parquet_rows(path: Path, wanted: Mapping[str, int]) -> Iterator[TextColumns]:
    """The columns at these places of a Parquet file, one after the other and some rows at a time.

    Raises: `Refusal` COLUMN_TYPE, before a row is read, for a type whose values are no single texts.
    """
    with _parquet(path) as file:
        fields = {name: file.schema_arrow.field(place) for name, place in wanted.items()}
        if not all(_is_readable(file, field) for field in fields.values()):
            raise Refusal(Code.COLUMN_TYPE)
        for name, field in fields.items():
            for batch in file.iter_batches(BATCH_ROWS, columns=[field.name], use_threads=False):
                yield {name: typed_column(batch.column(batch.schema.names.index(field.name)))}


def _parquet(path: Path) -> pq.ParquetFile:
    """An open Parquet file; old timestamps in milliseconds, in which none is out of range."""
    return pq.ParquetFile(path, coerce_int96_timestamp_unit="ms")


def _is_readable(file: pq.ParquetFile, field: pa.Field) -> bool:
    """Whether the type alone promises that every value can be read: decimals of any length do not."""
    stored = {
        column.path: column.physical_type for column in map(file.schema.column, range(len(file.schema)))
    }
    is_endless = pa.types.is_decimal(field.type) and stored.get(field.name) == "BYTE_ARRAY"
    return is_readable(field.type) and not is_endless
