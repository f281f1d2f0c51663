"""Open a private table in files: its declared columns as text, block after block.

Every byte string gives rows or one fixed `Refusal`, decided by public facts about files: that they open as
the declared format, their headers, the types of their columns. A row is a row, with any content in its cells.
Rows decide two refusals: that of a text over several lines, which the declared format requests, and that of
copies among several files, which can only be a mistake.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa

from synth.core.errors import Code, Mistake, Refusal
from synth.core.schema import Column, FileFormat, Kind, Schema, Unit, check_format
from synth.core.system.address import DUCKDB, Address, address_of
from synth.private.reading.connections import column_names, connection_of
from synth.private.reading.csv_reader import csv_rows
from synth.private.reading.lines import SPACE, read_header, take_top, text_of
from synth.private.reading.parts import copies, files_beside, files_of, kind_of
from synth.private.reading.records import BLOCK
from synth.private.reading.text_column import TextColumns, is_blank
from synth.private.reading.typed_files import (
    Head,
    arrow_head,
    arrow_rows,
    duckdb_head,
    duckdb_rows,
    parquet_head,
    parquet_rows,
)
from synth.private.reading.vault import Vault, Watch
from synth.private.sealed import sealed

BUFFER = 1 << 20


def header_only(place: Address | Path | str, file_format: FileFormat) -> list[str]:
    """Return the column names of a table, from its first line, its footer or its catalogue; rows are not
    read.

    A file declared to have no header gives none: its first line is a private row.

    Raises: `Mistake` for an invalid delimiter, quote or connection; `Refusal` FILE_UNREADABLE, FILE_UTF16,
    HEADER_OPEN, FILES_DIFFER, FILES_SAME, DATABASE_LOST.
    """
    check_format(file_format)
    address = _address(place)
    if address.connection:
        return column_names(connection_of(address.connection))

    @sealed(Code.FILE_UNREADABLE)
    def names(address: Address) -> list[str]:
        return _names(_one_head(files_of(address), address, file_format))

    return names(address)


def read_columns(
    place: Address | Path | str, schema: Schema, *, vault: Vault | None = None, block: int = BLOCK
) -> Iterator[TextColumns]:
    """Read the modelled columns and the unit's ID, some rows at a time; other columns are not read.

    Several files are one table, read in the order of their paths. `vault`, if given, stores or compares the
    fingerprint of all once the last block is read. `block` is the number of bytes of text read at a time.
    Private side: seal it, errors of pyarrow and DuckDB may quote a cell.

    Without an ID column, a file of rows with the same bytes as another one is refused: no cap would remove
    its rows. Files without rows may be equal.

    Raises: `Refusal` FILE_UNREADABLE, FILE_UTF16, FILE_CHANGED, FILES_DIFFER, FILES_SAME, HEADER_OPEN,
    HEADER_MISMATCH, COLUMN_TYPE (a list, map or structure in a file with types), or LINES_JOINED where the
    declared format requests that.
    """
    address = _address(place)
    files = files_of(address)
    head = _one_head(files, address, schema.file)
    kind, form = kind_of(files[0]), schema.file
    names = _names(head) if kind or form.header else [c.name for c in schema.columns]
    wanted = _places(names, schema)
    beside = files_beside(files[0]) if kind in DUCKDB else ()
    watch = Watch([*files, *beside], vault)
    twice = copies(files) if schema.unit.id_column is None else frozenset()
    for path in files:
        with watch.open(path) as file:
            if not kind:
                buffered = cast(BinaryIO, io.BufferedReader(file, BUFFER))
                _, read = take_top(buffered, form)
                rows = csv_rows(buffered, form, len(names), wanted, read=read, block=block)
                yield from _only_once(rows, path in twice)
                continue
            if vault is not None:
                file.read_on()
        for other in beside:
            with watch.open(other) as file:
                file.read_on()
        yield from _only_once(_typed_rows(path, address.table, wanted), path in twice)
    watch.check()


def text_form(place: Address | Path | str, form: FileFormat) -> FileFormat:
    """Return how numbers and dates are written in the texts: as declared, or as `typed` writes them.

    Private side: seal it.
    """
    plain = FileFormat()
    if not kind_of(files_of(_address(place))[0]):
        return form
    return replace(form, decimal_sign=plain.decimal_sign, date_order=plain.date_order)


def _typed_rows(path: Path, table: str, wanted: Mapping[str, int]) -> Iterator[TextColumns]:
    match kind_of(path):
        case ".parquet":
            return parquet_rows(path, wanted)
        case ".arrow":
            return arrow_rows(path, wanted)
        case _:
            return duckdb_rows(path, table, wanted)


def _only_once(rows: Iterator[TextColumns], is_copy: bool) -> Iterator[TextColumns]:
    """Pass rows on. Raises: `Refusal` FILES_SAME for a copy that has a row."""
    for columns in rows:
        if is_copy and any(len(column.index) for column in columns.values()):
            raise Refusal(Code.FILES_SAME)
        yield columns


def _one_head(files: Sequence[Path], address: Address, form: FileFormat) -> Head:
    """Return the common header of all files. Raises: `Refusal` FILES_DIFFER."""
    first = _head(files[0], address, form)
    if any(_head(path, address, form) != first for path in files[1:]):
        raise Refusal(Code.FILES_DIFFER)
    return first


def _head(path: Path, address: Address, form: FileFormat) -> Head:
    match kind_of(path):
        case ".parquet":
            return parquet_head(path)
        case ".arrow":
            return arrow_head(path)
        case ".duckdb":
            return duckdb_head(path, address.table)
    return [(name, "") for name in read_header(path, form)] if form.header else []


def _names(head: Head) -> list[str]:
    return [name for name, _ in head]


def _address(place: Address | Path | str) -> Address:
    return place if isinstance(place, Address) else address_of(place)


def _places(names: Sequence[str], schema: Schema) -> dict[str, int]:
    """Return the places of the columns that are read; the first of equal names counts."""
    wanted = [c.name for c in schema.modelled]
    if schema.unit.id_column is not None:
        wanted.append(schema.unit.id_column)
    stripped = [name.strip(SPACE) for name in names]
    try:
        return {name: stripped.index(name.strip(SPACE)) for name in wanted}
    except ValueError:
        raise Refusal(Code.HEADER_MISMATCH) from None


NOT_PUBLIC = (
    "Values and ranges are not read from a private file, because the release would publish them. Load or "
    "enter the columns, estimate them with part of the budget, or declare that the file is public."
)


def texts_in(path: Address | Path | str, schema: Schema) -> tuple[dict[str, tuple[str, ...]], FileFormat]:
    """Return the distinct texts of every named column of a public file, and the format of its numbers and
    dates.

    The texts are sorted, without blanks and without bytes that are not text. Of `schema` only the file's
    format and the declaration that it is public are used.

    Raises: `Mistake` if the file is not declared public, and the errors of `header_only` and `read_columns`.
    """
    if not schema.file_is_public:
        raise Mistake(NOT_PUBLIC)
    columns = tuple(Column(name=name, kind=Kind.CATEGORY) for name in header_only(path, schema.file))
    whole = replace(schema, columns=columns, unit=Unit(max_rows=1))
    texts: dict[str, set[str]] = {column.name: set() for column in columns}

    @sealed(Code.FILE_UNREADABLE)
    def read() -> FileFormat:
        for block in read_columns(path, whole):
            for name, column in block.items():
                wired = column.texts.filter(pa.array(~is_blank(column.texts, schema.file.missing)))
                texts[name] |= {text for w in wired.to_pylist() if (text := text_of(w)) is not None}
        return text_form(path, schema.file)

    form = read()
    return {name: tuple(sorted(held)) for name, held in texts.items()}, form
