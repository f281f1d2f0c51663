"""A private file, opened: its declared columns as text, block after block.

Every byte string gives rows or one fixed `Refusal`, decided by what is public about a file: that it opens as
the declared format, its header, the types of its columns. Whatever a cell holds, its row is a row. The one
refusal that rows decide (a text over several lines) is asked for in the declared format.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, cast

from synth.errors import Code, Refusal
from synth.reading.csv_reader import csv_rows
from synth.reading.lines import SPACE, header_names, read_header
from synth.reading.parquet_reader import parquet_names, parquet_rows
from synth.reading.records import BLOCK, take_top
from synth.reading.text_column import TextColumns
from synth.reading.vault import Vault, WatchedFile
from synth.schema import FileFormat, Schema, check_format
from synth.sealed import sealed

PARQUET = (".parquet", ".pq")
BUFFER = 1 << 20


def header_only(path: Path | str, file_format: FileFormat) -> list[str]:
    """The column names of a file, from its first line or its Parquet footer; rows are not read.

    A file declared to have no header gives none: its first line is a private row.

    Raises: `Mistake` for a delimiter or quote that cannot be one; `Refusal` FILE_UNREADABLE.
    """
    check_format(file_format)

    @sealed(Code.FILE_UNREADABLE)
    def names(file: Path) -> list[str]:
        _check_is_file(file)
        if _is_parquet(file):
            return parquet_names(file)
        return read_header(file, file_format) if file_format.header else []

    return names(Path(path))


def read_columns(
    path: Path, schema: Schema, *, vault: Vault | None = None, block: int = BLOCK
) -> Iterator[TextColumns]:
    """The modelled columns and the unit's id, some rows at a time; surplus columns are not read.

    `vault`, if given, keeps or compares the file's fingerprint once the last block is taken. `block` is the
    number of bytes read at a time. Private side: seal it, what pyarrow raises may quote a cell.

    Raises: `Refusal` FILE_UNREADABLE, FILE_CHANGED, HEADER_MISMATCH, COLUMN_TYPE (a list, map or structure in
    a Parquet file), or LINES_JOINED where the declared format asks for that.
    """
    _check_is_file(path)
    with WatchedFile(path, vault) as file:
        if _is_parquet(path):
            file.read_on()
            yield from parquet_rows(path, _places(parquet_names(path), schema))
        else:
            yield from _csv_columns(cast(BinaryIO, io.BufferedReader(file, BUFFER)), schema, block)
        file.check()


def text_form(path: Path | str, form: FileFormat) -> FileFormat:
    """How numbers and dates stand in the texts that are read: as declared; as `typed` writes in Parquet."""
    plain = FileFormat()
    if not _is_parquet(Path(path)):
        return form
    return replace(form, decimal_sign=plain.decimal_sign, date_order=plain.date_order)


def _csv_columns(file: BinaryIO, schema: Schema, block: int) -> Iterator[TextColumns]:
    form = schema.file
    header, read = take_top(file, form)
    names = header_names(header, form) if form.header else [c.name for c in schema.columns]
    return csv_rows(file, form, len(names), _places(names, schema), read=read, block=block)


def _places(names: Sequence[str], schema: Schema) -> dict[str, int]:
    """Where the columns that are read lie; the first of equal names counts, surplus columns do not."""
    wanted = [c.name for c in schema.modelled]
    if schema.unit.id_column is not None:
        wanted.append(schema.unit.id_column)
    stripped = [name.strip(SPACE) for name in names]
    try:
        return {name: stripped.index(name.strip(SPACE)) for name in wanted}
    except ValueError:
        raise Refusal(Code.HEADER_MISMATCH) from None


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() in PARQUET


def _check_is_file(path: Path) -> None:
    if not path.is_file():
        raise Refusal(Code.FILE_UNREADABLE)
