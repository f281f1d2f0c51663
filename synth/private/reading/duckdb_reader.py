"""A table in a DuckDB file as columns of text, some rows at a time.

The file is opened read-only in a sealed DuckDB: it reads no other file and no address, loads no extension,
writes nothing to a disk, keeps to `MEMORY`, and lets nobody change that. A view over something outside the
file is therefore refused. What DuckDB says of a fault may quote a cell; `sealed` keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb

from synth.core.errors import Code, Refusal
from synth.private.reading.text_column import TextColumns
from synth.private.reading.typed import is_readable, typed_column

BATCH_ROWS = 1 << 16
"""Rows turned into text at a time."""

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


def duckdb_head(path: Path, table: str) -> list[tuple[str, str]]:
    """The columns of a table: their names and what their types are called in Arrow.

    Raises: `Refusal` FILE_UNREADABLE where no table is named and the file has not exactly one.
    """
    with closing(_opened(path)) as file:
        return [(field.name, str(field.type)) for field in _schema(file, _quoted(_table(file, table)))]


def duckdb_rows(path: Path, table: str, wanted: Mapping[str, int]) -> Iterator[TextColumns]:
    """The columns at these places of a table, some rows at a time.

    Raises: `Refusal` COLUMN_TYPE, before a row is read, for a type whose values are no single texts.
    """
    with closing(_opened(path)) as file:
        source = _quoted(_table(file, table))
        fields = {name: _schema(file, source).field(place) for name, place in wanted.items()}
        if not all(is_readable(field.type) for field in fields.values()):
            raise Refusal(Code.COLUMN_TYPE)
        columns = ", ".join(_quoted(field.name) for field in fields.values())
        rows = file.sql(f"SELECT {columns} FROM {source}")
        for batch in rows.to_arrow_reader(BATCH_ROWS):
            yield {name: typed_column(batch.column(i)) for i, name in enumerate(fields)}


def _opened(path: Path) -> Any:
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
    """A name as SQL writes it; a dot is a part of it."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
