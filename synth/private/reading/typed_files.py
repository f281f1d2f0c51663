"""Read the columns of files with types as text, in batches of rows.

These are Parquet, Arrow and DuckDB files, workbooks, and files of statistics packages. `foreign` reads the
last two kinds in a separate process. `typed` converts the values of a column to text. A DuckDB file is opened
read-only in a restricted DuckDB: it reads no other file or address, loads no extension, writes nothing to a
disk, and uses at most `MEMORY`. Therefore, a view over anything outside the file is refused. Messages of
pyarrow and DuckDB may quote a cell, so `sealed` hides them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from synth.core.errors import Code, Refusal
from synth.core.schema import Column, FileFormat, Kind
from synth.core.system.kinds import kind_of
from synth.private.reading import foreign
from synth.private.reading.lines import SPACE
from synth.private.reading.text_column import TextColumns
from synth.private.reading.typed import is_readable, typed_column

BATCH_ROWS = 1 << 16
"""Number of rows that are converted to text at a time."""

MEMORY = "1GB"

SEALED = {
    "access_mode": "READ_ONLY",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "enable_external_access": "false",
    "lock_configuration": "true",
    "memory_limit": MEMORY,
    "temp_directory": "",
    "threads": "1",
}

Head = list[tuple[str, str]]
"""The columns of a file: their names, and their Arrow types if the file has types."""


def arrow_head(path: Path) -> Head:
    """Return the columns of an Arrow file, from its footer."""
    with pa.OSFile(str(path)) as file:
        return [(field.name, str(field.type)) for field in pa.ipc.open_file(file).schema]


def arrow_rows(path: Path, wanted: Mapping[str, int], signs: Mapping[str, str]) -> Iterator[TextColumns]:
    """Read the columns at these positions of an Arrow file, in batches of rows.

    `signs` contains the decimal sign of each column. Memory holds these columns of one batch, whose size was
    chosen when the file was written. Raises: `Refusal` COLUMN_TYPE, before a row is read, if the values of a
    type are not single strings.
    """
    with pa.OSFile(str(path)) as file:
        schema = pa.ipc.open_file(file).schema
        if not all(is_readable(schema.field(place).type) for place in wanted.values()):
            raise Refusal(Code.COLUMN_TYPE)
        places = sorted(set(wanted.values()))
        options = pa.ipc.IpcReadOptions(included_fields=places, use_threads=False)
        opened = pa.ipc.open_file(file, options=options)
        for number in range(opened.num_record_batches):
            batch = opened.get_batch(number)
            for start in range(0, batch.num_rows, BATCH_ROWS):
                part = batch.slice(start, BATCH_ROWS)
                yield {n: typed_column(part.column(places.index(at)), signs[n]) for n, at in wanted.items()}


def parquet_head(path: Path) -> Head:
    """Return the columns of a Parquet file, from its footer."""
    with _parquet(path) as file:
        return [(field.name, str(field.type)) for field in file.schema_arrow]


def parquet_rows(
    path: Path, wanted: Mapping[str, int], signs: Mapping[str, str], *, together: Sequence[Sequence[str]] = ()
) -> Iterator[TextColumns]:
    """Read the columns at these positions of a Parquet file, one after the other.

    The columns of each sequence in `together` are read together.

    Raises: as `arrow_rows`.
    """
    with _parquet(path) as file:
        fields = {name: file.schema_arrow.field(place) for name, place in wanted.items()}
        if not all(_has_fixed_length(file, field) and is_readable(field.type) for field in fields.values()):
            raise Refusal(Code.COLUMN_TYPE)
        joined = {name for names in together for name in names}
        for names in [*together, *([name] for name in fields if name not in joined)]:
            read = {name: fields[name].name for name in names}
            for batch in file.iter_batches(BATCH_ROWS, columns=[*read.values()], use_threads=False):
                place = batch.schema.names.index
                yield {n: typed_column(batch.column(place(own)), signs[n]) for n, own in read.items()}


def duckdb_head(path: Path, table: str) -> Head:
    """Return the columns of a table in a DuckDB file.

    Raises: `Refusal` FILE_UNREADABLE if no table is named and the file does not have exactly one.
    """
    with closing(_opened(path)) as file:
        return [(field.name, str(field.type)) for field in _schema(file, _quoted(_table(file, table)))]


def duckdb_rows(
    path: Path, wanted: Mapping[str, int], signs: Mapping[str, str], *, table: str
) -> Iterator[TextColumns]:
    """Read the columns at these positions of a table, in batches of rows. Raises: as `arrow_rows`."""
    with closing(_opened(path)) as file:
        source = _quoted(_table(file, table))
        fields = {name: _schema(file, source).field(place) for name, place in wanted.items()}
        if not all(is_readable(field.type) for field in fields.values()):
            raise Refusal(Code.COLUMN_TYPE)
        columns = ", ".join(_quoted(field.name) for field in fields.values())
        rows = file.sql(f"SELECT {columns} FROM {source}")
        for batch in rows.to_arrow_reader(BATCH_ROWS):
            yield {name: typed_column(batch.column(i), signs[name]) for i, name in enumerate(fields)}


def foreign_head(path: Path, form: FileFormat) -> Head:
    """Return the columns of a workbook's sheet (empty without a header), or of a statistics package's file.

    Raises: `Refusal` SHEET, FILE_SLOW; OSError or ValueError if the file cannot be read.
    """
    with _foreign(path, form) as output:
        read = output.read()
    names = [name.strip(SPACE) for name in json.loads(read)]
    return [(name, "") for name in names[: max((n for n, name in enumerate(names, 1) if name), default=0)]]


def foreign_rows(
    path: Path,
    wanted: Mapping[str, int],
    signs: Mapping[str, str],
    *,
    columns: Mapping[str, Column],
    form: FileFormat,
) -> Iterator[TextColumns]:
    """Read the columns at these positions, in batches of rows. Raises: as `foreign_head`.

    The values of a column, and its further texts, which may end with a star, are read as values even if the
    file states that they mean missing.
    """
    declared = [columns.get(name, Column(name=name, kind=Kind.CATEGORY)) for name in wanted]
    values = [[*map(foreign.written, c.values), *chain.from_iterable(c.reads)] for c in declared]
    order = {"places": [*wanted.values()], "decimals": [signs[name] for name in wanted]}
    order |= {"kinds": [column.kind for column in declared], "values": values}
    with (
        _foreign(path, form, **order) as output,
        pa.ipc.open_stream(output) as batches,
    ):
        for batch in batches:
            yield {name: typed_column(batch.column(i), signs[name]) for i, name in enumerate(wanted)}


@contextmanager
def _foreign(path: Path, form: FileFormat, **requested: Any) -> Iterator[IO[bytes]]:
    order = {"kind": kind_of(path), "sheet": form.sheet, "skip": form.skip_lines, "header": form.header}
    order["encoding"] = form.encoding
    order["seconds"] = foreign.SECONDS
    try:
        with foreign.started(str(path), order | requested) as output:
            yield output
    except ChildProcessError as error:
        known = {foreign.NO_SHEET: Code.SHEET, foreign.TOO_SLOW: Code.FILE_SLOW}
        if error.args[0] in known:
            raise Refusal(known[error.args[0]]) from None
        raise


def _parquet(path: Path) -> pq.ParquetFile:
    """Open a Parquet file. Old timestamps are read in milliseconds, so that none is out of range."""
    return pq.ParquetFile(path, coerce_int96_timestamp_unit="ms")


def _has_fixed_length(file: pq.ParquetFile, field: pa.Field) -> bool:
    """Whether the type guarantees that every value can be read. Decimals of arbitrary length do not."""
    columns = map(file.schema.column, range(len(file.schema)))
    stored = {column.path: column.physical_type for column in columns}
    return not (pa.types.is_decimal(field.type) and stored.get(field.name) == "BYTE_ARRAY")


def _opened(path: Path) -> Any:
    import duckdb

    return duckdb.connect(str(path), read_only=True, config=dict(SEALED))


def _table(file: Any, table: str) -> str:
    if table:
        return table
    found = file.sql(
        "SELECT table_name FROM information_schema.tables WHERE table_schema NOT IN "
        "('information_schema', 'pg_catalog')"
    ).fetchall()
    if len(found) != 1:
        raise Refusal(Code.FILE_UNREADABLE)
    return str(found[0][0])


def _schema(file: Any, source: str) -> Any:
    return file.sql(f"SELECT * FROM {source} LIMIT 0").to_arrow_table().schema


def _quoted(name: str) -> str:
    """Return a name quoted for SQL, so that a dot is part of the name."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
