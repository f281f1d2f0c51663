"""A private file as pieces of columns, one block after the other: what the cells say, and which row says it.

CSV is cut into records by `measure.records`; pyarrow then cuts those lines into cells on which all readers
agree, Python the others. Parquet is read by pyarrow column by column, and `measure.typed` writes its values
as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from synth.errors import Code, Refusal
from synth.measure.encode import Texts
from synth.measure.lines import SPACE
from synth.measure.records import BLOCK, Records, read_records
from synth.measure.typed import is_readable, texts_of
from synth.schema import FileFormat

BATCH_ROWS = 1 << 16
"""Rows of a Parquet column turned into text at a time."""


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows of a column: row i says `texts[index[i]]`.

    Shapes: `index: int32[rows]`; `texts` is a pyarrow large_string array, stripped and in the form of
    `lines.wire`, in which a text may stand twice.
    """

    index: NDArray[np.int32]
    texts: Texts


def csv_blocks(
    file: BinaryIO,
    form: FileFormat,
    width: int,
    wanted: Mapping[str, int],
    *,
    read: bytes,
    block: int = BLOCK,
) -> Iterator[Mapping[str, Piece]]:
    """The rows of a CSV file behind its header, some at a time: one piece of every wanted column.

    `wanted` gives columns their places among `width` cells.

    Privacy: a row of any width is a row. One that ends before a column's place has an empty cell there.
    """
    for records in read_records(file, form, width, read=read, block=block):
        regular = _cut(records.regular, form, width, sorted(set(wanted.values())))
        yield {name: _merged(regular[p], records, p) for name, p in wanted.items()}


def _cut(lines: bytes, form: FileFormat, width: int, places: list[int]) -> dict[int, Piece]:
    """The cells of regular lines at some places. The line put before them keeps a mark from being skipped."""
    if not lines or not places:
        return {place: piece_of([]) for place in places}
    top = form.delimiter.join(map(str, range(width))).encode() + b"\n"
    names = [str(place) for place in places]
    table = pacsv.read_csv(
        pa.BufferReader(top + lines),
        read_options=pacsv.ReadOptions(use_threads=False, block_size=len(top) + len(lines) + 1),
        parse_options=pacsv.ParseOptions(
            delimiter=form.delimiter,
            quote_char=form.quote or False,
            double_quote=True,
            ignore_empty_lines=False,
        ),
        convert_options=pacsv.ConvertOptions(
            check_utf8=False,
            include_columns=names,
            column_types=dict.fromkeys(names, pa.dictionary(pa.int32(), pa.binary())),
            null_values=[],
        ),
    )
    is_ascii = lines.isascii()
    return {place: _piece(table[str(place)], is_ascii=is_ascii) for place in places}


def _piece(column: Any, *, is_ascii: bool) -> Piece:
    (chunk,) = column.chunks
    said = chunk.dictionary
    if is_ascii:
        texts = said.cast(pa.large_string())
    else:
        texts = pa.array([value.decode("latin-1") for value in said.to_pylist()], pa.large_string())
    return Piece(chunk.indices.to_numpy(), _stripped(texts))


def piece_of(texts: Any) -> Piece:
    """A piece from texts, one per row, in the form of `lines.wire` but for the spaces around them."""
    said = pa.array(texts, pa.large_string()) if isinstance(texts, list) else texts
    encoded = said.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    return Piece(encoded.indices.to_numpy().astype(np.int32, copy=False), _stripped(encoded.dictionary))


def _stripped(texts: Texts) -> Texts:
    return pc.ascii_trim(texts, characters=SPACE)


def _merged(regular: Piece, records: Records, place: int) -> Piece:
    """The regular rows and the others in the order of the file."""
    if records.order is None:
        return regular
    others = piece_of([cells[place] if place < len(cells) else "" for cells in records.others])
    index = np.concatenate([regular.index, others.index + np.int32(len(regular.texts))])[records.order]
    return Piece(index, pa.concat_arrays([regular.texts, others.texts]))


def parquet_names(path: Path) -> list[str]:
    """The column names in a Parquet file's footer."""
    with _parquet(path) as file:
        return list(file.schema_arrow.names)


def parquet_pieces(path: Path, wanted: Mapping[str, int]) -> Iterator[Mapping[str, Piece]]:
    """The columns at these places of a Parquet file, one after the other and some rows at a time.

    Raises: `Refusal` COLUMN_TYPE, before a row is read, for a type whose values are no single texts.
    """
    with _parquet(path) as file:
        fields = {name: file.schema_arrow.field(place) for name, place in wanted.items()}
        if not all(_is_readable(file, field) for field in fields.values()):
            raise Refusal(Code.COLUMN_TYPE)
        for name, field in fields.items():
            for batch in file.iter_batches(BATCH_ROWS, columns=[field.name], use_threads=False):
                yield {name: _typed_piece(batch.column(batch.schema.names.index(field.name)))}


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


def _typed_piece(values: Any) -> Piece:
    """A piece from typed values, of which only the distinct ones are written as texts."""
    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    encoded = values.dictionary_encode(null_encoding="encode")
    index = encoded.indices.to_numpy().astype(np.int32, copy=False)
    return Piece(index, _stripped(texts_of(encoded.dictionary)))
