"""Read the columns of a CSV file as text, some rows at a time.

`reading.records` cuts the file into records. Then pyarrow cuts the lines on which all readers agree into
cells, Python cuts the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from synth.core.schema import FileFormat
from synth.private.reading.lines import SPACE, leaves_a_quote_open
from synth.private.reading.records import BLOCK, Records, read_records
from synth.private.reading.text_column import TextColumn, TextColumns, bytes_in, stripped, text_column

FIRST_BEYOND_ASCII = 128
SHAPE = "\0shape"
"""The name under which what is wrong with whole records is read, "" for most."""


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

    `wanted` gives columns their places among `width` cells, any place to `SHAPE`; `read` is what was read
    beyond the header.

    Privacy: a row of any width is a row. One that ends before a column's place has an empty cell there.
    Raises: `Refusal` LINES_JOINED.
    """
    for records in read_records(file, form, width, read=read, block=block):
        regular = _cut(records.regular, form, width, sorted(set(wanted.values())))
        columns = {name: _merged(regular[p], records, p) for name, p in wanted.items()}
        if SHAPE in wanted:
            columns[SHAPE] = _shapes(records, form, width)
        yield columns


def _shapes(records: Records, form: FileFormat, width: int) -> TextColumn:
    """Return what is wrong with each record, "" for nothing."""
    said = [_shape(*both, form, width) for both in zip(records.others, records.quoted, strict=True)]
    return _ordered(text_column([""] * records.regular.count(b"\n")), text_column(said), records)


def _shape(cells: list[str], line: str, form: FileFormat, width: int) -> str:
    if line and leaves_a_quote_open(line, form):
        return "a quote that does not end"
    if len(cells) < width:
        return "fewer cells than the header"
    return "more cells than the header" if any(cell.strip(SPACE) for cell in cells[width:]) else ""


def _cut(lines: bytes, form: FileFormat, width: int, places: list[int]) -> dict[int, TextColumn]:
    """Return the cells of regular lines at some places. A line is put before them so that no byte-order mark
    is skipped.
    """
    if not lines or not places:
        return {place: text_column([]) for place in places}
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
    return {place: _text_column(table[str(place)]) for place in places}


def _text_column(column: Any) -> TextColumn:
    (chunk,) = column.chunks
    distinct = chunk.dictionary
    if bytes_in(distinct).max(initial=0) < FIRST_BEYOND_ASCII:
        texts = distinct.cast(pa.large_string())
    else:
        texts = pa.array([value.decode("latin-1") for value in distinct.to_pylist()], pa.large_string())
    return TextColumn(chunk.indices.to_numpy(), stripped(texts))


def _merged(regular: TextColumn, records: Records, place: int) -> TextColumn:
    """Return the regular rows and the others in the order of the file."""
    if records.order is None:
        return regular
    others = text_column([cells[place] if place < len(cells) else "" for cells in records.others])
    return _ordered(regular, others, records)


def _ordered(regular: TextColumn, others: TextColumn, records: Records) -> TextColumn:
    if records.order is None:
        return regular
    index = np.concatenate([regular.index, others.index + np.int32(len(regular.texts))])[records.order]
    return TextColumn(index, pa.concat_arrays([regular.texts, others.texts]))
