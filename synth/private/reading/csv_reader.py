"""Read the columns of a CSV file as text, in batches of rows.

First, `reading.records` splits the file into records that every CSV reader would split into the same cells.
Then pyarrow splits the records into cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from synth.core.schema import FileFormat
from synth.private.reading.records import BLOCK, SHAPES, Records, read_records
from synth.private.reading.text_column import TextColumn, TextColumns, bytes_in, stripped, text_column

FIRST_BEYOND_ASCII = 128
FORMULA = r'^="([^"]*)"$'
"""Pattern of a text that is written as a formula, such as ="01234", so that Excel keeps its zeros."""
SHAPE = "\0shape"
"""The name of the column that describes faults of whole records. Most records have ""."""


def csv_rows(
    file: BinaryIO,
    form: FileFormat,
    width: int,
    wanted: Mapping[str, int],
    *,
    read: bytes,
    block: int = BLOCK,
) -> Iterator[TextColumns]:
    """Read the rows of a CSV file after its header, about `block` bytes at a time.

    `wanted` contains the position of each column among `width` cells, and any position for `SHAPE`. `read` is
    the text that was already read after the header.

    Privacy: a row of any width counts as one row. If it ends before a column's position, its cell there is
    empty. Raises: `Refusal` LINES_JOINED.
    """
    places = sorted({place for name, place in wanted.items() if name != SHAPE})
    for records in read_records(file, form, width, read=read, block=block):
        cut = _cut(records, form, width, places)
        columns = {name: cut[place] for name, place in wanted.items() if name != SHAPE}
        if SHAPE in wanted:
            found, index = np.unique(records.shapes, return_inverse=True)
            said = pa.array([SHAPES[shape] for shape in found], pa.large_string())
            columns[SHAPE] = TextColumn(index.astype(np.int32), said)
        yield columns


def _cut(records: Records, form: FileFormat, width: int, places: list[int]) -> dict[int, TextColumn]:
    """Return the cells of records at some positions.

    A line is added before them so that no byte-order mark is skipped.
    """
    if not records.lines or not places:
        return {place: text_column([]) for place in places}
    top = form.delimiter.join(map(str, range(width))).encode() + b"\n"
    names = [str(place) for place in places]
    table = pacsv.read_csv(
        pa.BufferReader(top + records.lines),
        read_options=pacsv.ReadOptions(use_threads=False, block_size=len(top) + len(records.lines) + 1),
        parse_options=pacsv.ParseOptions(
            delimiter=form.delimiter,
            quote_char=form.quote or False,
            double_quote=True,
            newlines_in_values=records.joins,
            ignore_empty_lines=False,
        ),
        convert_options=pacsv.ConvertOptions(
            check_utf8=False,
            include_columns=names,
            column_types=dict.fromkeys(names, pa.dictionary(pa.int32(), pa.binary())),
            null_values=[],
        ),
    )
    return {place: _text_column(table[str(place)]) for place in places}


def _text_column(column: Any) -> TextColumn:
    (chunk,) = column.chunks
    distinct = chunk.dictionary
    if bytes_in(distinct).max(initial=0) < FIRST_BEYOND_ASCII:
        texts = distinct.cast(pa.large_string())
    else:
        texts = pa.array([value.decode("latin-1") for value in distinct.to_pylist()], pa.large_string())
    texts = pc.replace_substring_regex(stripped(texts), FORMULA, r"\1")
    return TextColumn(chunk.indices.to_numpy(), stripped(texts))
