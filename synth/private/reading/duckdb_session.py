"""Count a table of a DuckDB file inside DuckDB. Nothing else can write to the file meanwhile."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from synth.private.reading.sessions import Session, Stored, builtin
from synth.private.reading.typed_files import SEALED

if TYPE_CHECKING:
    import ibis

_COLUMNS = """
SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ? AND NOT internal
ORDER BY column_index
"""


class DuckdbSession(Session):
    """A session with DuckDB, with the restrictions of `typed_files`.

    `settings` contains the keys listed in `connections.ENGINES`.
    """

    STORED: ClassVar = {
        "U?(TINY|SMALL|BIG)INT|U?INTEGER": Stored.WHOLE,
        "DOUBLE": Stored.FLOAT,
        r"DECIMAL\(\d+,\d+\)": Stored.DECIMAL,
        "BOOLEAN": Stored.BOOLEAN,
        "DATE": Stored.DATE,
        "TIMESTAMP": Stored.MOMENT,
        "VARCHAR": Stored.TEXT,
    }
    INTEGERS: ClassVar = (("UTINYINT", 1 << 8), ("USMALLINT", 1 << 16), ("INTEGER", 1 << 31))

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__()
        config: dict[str, Any] = {
            **SEALED,
            "memory_limit": str(settings.get("memory_limit", SEALED["memory_limit"])),
            "threads": str(settings.get("threads", os.cpu_count() or 1)),
        }
        self._name = str(settings["table"])
        import duckdb

        self._connection: Any = duckdb.connect(str(settings["path"]), read_only=True, config=config)
        found = self._connection.execute(_COLUMNS, [self._name]).fetchall()
        self.columns = {name: self.stored_as(kind) for name, kind in found}
        self._held: tuple[str, str] | None = None
        """The name of the table of stored codes, and the query that computes them."""
        self._has_room = True

    @property
    def table(self) -> ibis.Table:
        return self._table(self._name)

    def rows(self, counts: ibis.Table) -> Sequence[tuple[Any, ...]]:
        """Run a count. If memory runs out, the stored codes are dropped for the rest of the session."""
        import duckdb
        import ibis

        requested = ibis.to_sql(counts, dialect="duckdb")
        try:
            return list(self._connection.execute(requested).fetchall())
        except duckdb.OutOfMemoryException:
            if self._held is None:
                raise
        (name, made), self._has_room = self._held, False
        self._let_go()
        self._connection.execute(f"CREATE TEMPORARY VIEW {name} AS {made}")
        return list(self._connection.execute(requested).fetchall())

    def kept(self, codes: ibis.Table, spans: Mapping[str, int]) -> ibis.Table:
        """Store codes in memory, because `SEALED` forbids a disk.

        If `memory_limit` is too small, return them unstored.
        """
        import duckdb
        import ibis

        self._let_go()
        if not self._has_room:
            return codes
        name = self._fresh_name()
        columns = ", ".join(f'CAST("{c}" AS {self.smallest(span)}) AS "{c}"' for c, span in spans.items())
        made = f"SELECT {columns} FROM ({ibis.to_sql(codes, dialect='duckdb')})"
        try:
            self._connection.execute(f"CREATE TEMPORARY TABLE {name} AS {made}")
        except duckdb.OutOfMemoryException:
            return codes
        self._held = (name, made)
        return self._codes(name, spans, catalog="temp", database="main")

    def text(self, column: Any) -> Any:
        """Return text that is compared by bytes, because a column may be declared as case-insensitive."""
        return builtin("decode", takes="binary")(builtin("encode", gives="binary")(column))

    def composed(self, text: Any) -> Any:
        return builtin("nfc_normalize")(text)

    def close(self) -> None:
        self._connection.close()

    def _let_go(self) -> None:
        """Drop the stored codes."""
        if self._held is not None:
            self._connection.execute(f"DROP TABLE temp.main.{self._held[0]}")
            self._held = None
