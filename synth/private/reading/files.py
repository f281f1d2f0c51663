"""Open a private table in files: yield its declared columns as text, block by block.

Every file yields either rows or one fixed `Refusal`, which depends on public facts about files: whether they
open in the declared format, their headers, and the types of their columns. A row counts as a row, even if its
content is invalid. Two refusals depend on rows: a string over several lines, if the declared format refuses
it, and copies among several files, which can only be a mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from synth.core.cells.numbers import POINT
from synth.core.errors import Code, Mistake, Refusal
from synth.core.schema import Column, FileFormat, Kind, Schema, Unit, check_format, matching
from synth.core.system.address import Address, address_of, check_kinds
from synth.core.system.kinds import ARROW, COMPRESSED, DUCKDB, EXCEL, PARQUET, kind_of
from synth.private.frame import Frame
from synth.private.reading.connections import column_names, connection_of
from synth.private.reading.csv_reader import SHAPE, csv_rows
from synth.private.reading.lines import header_names, take_top, text_of, wire
from synth.private.reading.parts import copies, files_beside, files_of
from synth.private.reading.records import BLOCK
from synth.private.reading.streams import text_stream
from synth.private.reading.text_column import TextColumn, TextColumns, is_blank, plain_texts
from synth.private.reading.typed_files import (
    Head,
    arrow_head,
    arrow_rows,
    duckdb_head,
    duckdb_rows,
    foreign_head,
    foreign_rows,
    parquet_head,
    parquet_rows,
)
from synth.private.reading.vault import Vault, Watch
from synth.private.sealed import sealed


def header_only(place: Address | Path | str, file_format: FileFormat) -> list[str]:
    """Return the column names of a table from its first line, footer or catalogue. Rows are not read.

    A file declared without a header has no names, because its first line is a private row.

    Raises: `Mistake` if the delimiter, quote, connection or kind of file is invalid; `Refusal`
    FILE_UNREADABLE, FILE_KIND, FILE_SLOW, ARCHIVE, SHEET, HEADER_OPEN, FILES_DIFFER, FILES_SAME,
    DATABASE_LOST.
    """
    check_format(file_format)
    address = _address(place)
    if address.connection:
        return column_names(connection_of(address.connection))
    check_kinds(address)

    @sealed(Code.FILE_UNREADABLE)
    def names(address: Address) -> list[str]:
        return _names(_one_head(files_of(address), address, file_format))

    return names(address)


def check_header(place: Address | Path | str | Frame, schema: Schema) -> None:
    """Check that the header of a table has the declared columns. Rows are not read.

    For a table in a database see `database_table.check_columns`.

    Raises: as `header_only`, and `Refusal` HEADER_MISMATCH, HEADER_REPEATED, HEADER_SINGLE.
    """
    check_format(schema.file)

    @sealed(Code.FILE_UNREADABLE)
    def check() -> None:
        if isinstance(place, Frame):
            _places(place.names, schema)
        elif not (address := _address(place)).connection:
            _places(_columns(files_of(address), address, schema), schema)

    check()


def read_columns(
    place: Address | Path | str | Frame,
    schema: Schema,
    *,
    vault: Vault | None = None,
    block: int = BLOCK,
    shapes: bool = False,
) -> Iterator[TextColumns]:
    """Read the modelled columns and the ID column in batches of rows. Other columns are not read.

    Several files form one table and are read in the order of their paths. If `vault` is given, it stores the
    fingerprint of all files, or compares it with the stored one, after the last block. `block` is the number
    of bytes of text that are read at a time. `shapes` adds the column `SHAPE` for a text file. Private side:
    call this under `sealed`, because errors of pyarrow and DuckDB may quote a cell.

    Without an ID column, a file that has rows and is identical to another file is refused, because no cap
    would remove its rows. Files without rows may be identical.

    Raises: `Refusal` FILE_UNREADABLE, FILE_KIND, FILE_SLOW, ARCHIVE, SHEET, FILE_CHANGED, FILES_DIFFER,
    FILES_SAME, HEADER_OPEN, HEADER_MISMATCH, HEADER_REPEATED, HEADER_SINGLE, COLUMN_TYPE (a list, map or
    structure in a file with types), or LINES_JOINED if the declared format requests that.
    """
    if isinstance(place, Frame):
        wanted = _places(place.names, schema)
        yield from place.rows(wanted, _signs(wanted, schema))
        return
    address = _address(place)
    files = files_of(address)
    kind, form = kind_of(files[0]), schema.file
    names = _columns(files, address, schema)
    wanted = _places(names, schema)
    requested = wanted | {_FIRST: 0} if form.notes and may_have_notes(kind) else wanted
    beside = files_beside(files[0]) if kind in DUCKDB else ()
    watch = Watch([*files, *beside], vault)
    twice = copies(files) if schema.unit.id_column is None else frozenset()
    for path in files:
        if is_text(kind):
            cut = requested | {SHAPE: 0} if shapes else requested
            with text_stream(path, form, watch.open(path)) as stream:
                _, read = take_top(stream, form)
                rows = csv_rows(stream, form, len(names), cut, read=read, block=block)
                yield from _only_once(_records(rows, form), path in twice)
            continue
        for other in (path, *beside):
            with watch.open(other) as file:
                file.read_on()
        typed = _typed_rows(path, address.table, schema, requested)
        yield from _only_once(_records(typed, form), path in twice)
    watch.check()


_FIRST = ""
"""The name of the first column if `FileFormat.notes` decide which rows are records."""


def _records(rows: Iterator[TextColumns], form: FileFormat) -> Iterator[TextColumns]:
    """Remove rows whose first cell starts with one of the declared notes.

    Privacy: this depends only on the row itself, so adding or removing one row adds or removes at most one
    record.
    """
    notes = [wire(note) for note in form.notes]
    for columns in rows:
        if _FIRST not in columns:
            yield columns
            continue
        first = columns[_FIRST]
        is_note = np.zeros(len(first.texts), dtype=np.bool_)
        for note in notes:
            is_note |= pc.starts_with(first.texts, pattern=note).to_numpy(zero_copy_only=False)
        kept = ~is_note[first.index]
        yield {
            name: TextColumn(column.index[kept], column.texts)
            for name, column in columns.items()
            if name != _FIRST
        }


def is_text(kind: str) -> bool:
    """Whether files of this kind consist of lines of text."""
    return not kind or kind in COMPRESSED


def has_header(kind: str, form: FileFormat) -> bool:
    """Whether files of this kind contain the names of their columns."""
    return form.header or not (is_text(kind) or kind in EXCEL)


def may_have_notes(kind: str) -> bool:
    """Whether files of this kind may have lines that are not records."""
    return is_text(kind) or kind in EXCEL


def _signs(names: Iterable[str], schema: Schema) -> dict[str, str]:
    """Return the decimal sign with which the typed numbers of each column are written as strings.

    The numbers of a whole-number column get a sign that cannot be read as a thousands separator.
    """
    declared = {column.name: column for column in schema.read}
    signs = {name: schema.file.of(declared.get(name)).decimal_sign for name in names}
    whole = [name for name in signs if name in declared and declared[name].kind is Kind.INTEGER]
    return signs | dict.fromkeys(whole, POINT)


def _typed_rows(path: Path, table: str, schema: Schema, wanted: Mapping[str, int]) -> Iterator[TextColumns]:
    kind, signs = kind_of(path), _signs(wanted, schema)
    if kind in PARQUET:
        return parquet_rows(path, wanted, signs, together=[group.columns for group in schema.groups])
    if kind in ARROW:
        return arrow_rows(path, wanted, signs)
    if kind in DUCKDB:
        return duckdb_rows(path, wanted, signs, table=table)
    return foreign_rows(path, wanted, signs, columns={c.name: c for c in schema.read}, form=schema.file)


def _only_once(rows: Iterator[TextColumns], is_copy: bool) -> Iterator[TextColumns]:
    """Yield all rows. Raises: `Refusal` FILES_SAME if this is a copy with at least one row."""
    for columns in rows:
        if is_copy and any(len(column.index) for column in columns.values()):
            raise Refusal(Code.FILES_SAME)
        yield columns


def _columns(files: Sequence[Path], address: Address, schema: Schema) -> list[str]:
    """Return the names in the common header of all files, or the declared names if the files have no
    header.
    """
    head = _one_head(files, address, schema.file)
    return _names(head) if has_header(kind_of(files[0]), schema.file) else [c.name for c in schema.columns]


def _one_head(files: Sequence[Path], address: Address, form: FileFormat) -> Head:
    """Return the common header of all files. Raises: `Refusal` FILES_DIFFER."""
    first = _head(files[0], address, form)
    if any(_head(path, address, form) != first for path in files[1:]):
        raise Refusal(Code.FILES_DIFFER)
    return first


def _head(path: Path, address: Address, form: FileFormat) -> Head:
    kind = kind_of(path)
    if kind in PARQUET:
        return parquet_head(path)
    if kind in ARROW:
        return arrow_head(path)
    if kind in DUCKDB:
        return duckdb_head(path, address.table)
    if not is_text(kind):
        return foreign_head(path, form)
    with text_stream(path, form) as stream:
        top, _ = take_top(stream, form)
    return [(name, "") for name in header_names(top, form)] if form.header else []


def _names(head: Head) -> list[str]:
    return [name for name, _ in head]


def _address(place: Address | Path | str) -> Address:
    return place if isinstance(place, Address) else address_of(place)


def _places(names: Sequence[str], schema: Schema) -> dict[str, int]:
    """Return the positions of the columns that are read.

    Names are compared by `matching`. Raises: `Refusal` HEADER_REPEATED, HEADER_SINGLE, HEADER_MISMATCH.
    """
    wanted = [c.name for c in schema.read]
    if schema.unit.id_column is not None:
        wanted.append(schema.unit.id_column)
    places = {}
    for name in wanted:
        same = matching(name, names)
        if not same:
            raise Refusal(Code.HEADER_SINGLE if len(names) == 1 < len(wanted) else Code.HEADER_MISMATCH)
        if len(same) > 1:
            raise Refusal(Code.HEADER_REPEATED)
        places[name] = same[0]
    return places


NOT_PUBLIC = (
    "Values and ranges are not read from a private file, because the release would publish them. Load or "
    "enter the columns, estimate them with part of the budget, or declare that the file is public."
)


def texts_in(path: Address | Path | str, schema: Schema) -> dict[str, tuple[str, ...]]:
    """Return the distinct strings in each named column of a public file.

    The strings are sorted, without blanks and without bytes that are not text. From `schema`, only the format
    of the file, the declaration that it is public, and the signs and missing values of its columns are used.

    Raises: `Mistake` if the file is not declared public, and the errors of `header_only` and `read_columns`.
    """
    if not schema.file_is_public:
        raise Mistake(NOT_PUBLIC)
    declared = {column.name: column for column in schema.columns}
    names = header_only(path, schema.file)
    columns = {name: declared.get(name, Column(name=name, kind=Kind.CATEGORY)) for name in names}
    whole = replace(schema, columns=tuple(columns.values()), groups=(), unit=Unit(max_rows=1))
    texts: dict[str, set[str]] = {name: set() for name in columns}

    @sealed(Code.FILE_UNREADABLE)
    def read() -> None:
        for block in read_columns(path, whole):
            for name, column in block.items():
                plain, missing = plain_texts(column.texts), (*schema.file.missing, *columns[name].missing)
                wired = plain.filter(pa.array(~is_blank(plain, missing)))
                texts[name] |= {text for w in wired.to_pylist() if (text := text_of(w)) is not None}

    read()
    return {name: tuple(sorted(held)) for name, held in texts.items()}
