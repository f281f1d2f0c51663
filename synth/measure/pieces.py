"""A private file as pieces of columns, one block after the other: what the cells say, and which row says it.

CSV is cut into records by `measure.records`; pyarrow then cuts those lines into cells on which all readers
agree, Python the others. Parquet is written out as text by DuckDB column by column, in memory, with access to
this one file, no extensions, no spilling, its settings locked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from synth.errors import Code, Refusal
from synth.measure.encode import Texts
from synth.measure.lines import SPACE, wire
from synth.measure.records import BLOCK, Records, read_records
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


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows of every wanted column; `is_wide` if any of them has exactly the declared number of cells."""

    pieces: Mapping[str, Piece]
    rows: int
    is_wide: bool


def csv_blocks(
    file: BinaryIO,
    form: FileFormat,
    width: int,
    wanted: Mapping[str, int],
    *,
    read: bytes,
    block: int = BLOCK,
) -> Iterator[Block]:
    """The rows of a CSV file behind its header; `wanted` gives columns their places among `width` cells.

    A row that ends before a column's place has an empty cell there.
    """
    for records in read_records(file, form, width, read=read, block=block):
        regular = _cut(records.regular, form, width, sorted(set(wanted.values())))
        pieces = {name: _merged(regular[p], records, p) for name, p in wanted.items()}
        rows = records.regular.count(b"\n") + len(records.others)
        is_wide = bool(records.regular) or any(len(cells) == width for cells in records.others)
        if rows:
            yield Block(pieces, rows, is_wide)


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
    connection = _sandbox(path)
    try:
        query = "SELECT * FROM read_parquet($path) LIMIT 0"
        described = connection.execute(query, {"path": str(path.absolute())}).description
        return [str(d[0]) for d in described or []]
    finally:
        connection.close()


def parquet_column(path: Path, width: int, place: int) -> Iterator[Piece]:
    """One column of a Parquet file, as DuckDB writes its values in text, some rows at a time.

    DuckDB gives up on a text column in which some value is not UTF-8: from there on pyarrow reads it, and
    only that value is lost.
    """
    done = 0
    connection = _sandbox(path)
    query = (
        f"SELECT coalesce(CAST(c{place} AS VARCHAR), '') AS text "
        f"FROM read_parquet($path) AS t({', '.join(f'c{i}' for i in range(width))})"
    )
    try:
        batches = connection.sql(query, params={"path": str(path.absolute())}).to_arrow_reader(BATCH_ROWS)
        for batch in batches:
            done += batch.num_rows
            yield piece_of(_as_wire(batch.column(0).cast(pa.large_string())))
        return
    except (duckdb.Error, pa.ArrowException, OSError):
        pass
    finally:
        connection.close()
    yield from _undecodable_column(path, place, skip=done)


def _as_wire(texts: Texts) -> Texts:
    if pc.all(pc.string_is_ascii(texts)).as_py() is not False:
        return texts
    return pa.array([wire(t) for t in texts.to_pylist()], pa.large_string())


def _undecodable_column(path: Path, place: int, *, skip: int) -> Iterator[Piece]:
    file = pq.ParquetFile(path)
    field = file.schema_arrow.field(place)
    if not (pa.types.is_string(field.type) or pa.types.is_large_string(field.type)):
        raise Refusal(Code.FILE_UNREADABLE)
    for batch in file.iter_batches(BATCH_ROWS, columns=[field.name]):
        behind = batch.slice(min(skip, batch.num_rows))
        skip -= batch.num_rows - behind.num_rows
        values = behind.column(0).cast(pa.large_binary()).to_pylist()
        yield piece_of(["" if v is None else v.decode("latin-1") for v in values])


def _sandbox(path: Path) -> duckdb.DuckDBPyConnection:
    """A DuckDB in memory that can open `path` and no other file, and whose settings are final."""
    connection = duckdb.connect(
        ":memory:",
        config={
            "allow_community_extensions": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "temp_directory": "",
            "threads": str(min(os.cpu_count() or 1, 4)),
        },
    )
    connection.execute("SET allowed_paths = [$path]", {"path": str(path.absolute())})
    connection.execute("SET arrow_large_buffer_size = true")
    connection.execute("SET preserve_insertion_order = true")
    connection.execute("SET python_enable_replacements = false")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection
