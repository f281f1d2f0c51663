"""A table in Postgres, in one transaction that is never committed: every count is of the same state of the
table. All that reads the table is asked read-only. Nothing is written unless the connection says `keep`: then
codes go into a temporary table, which lies in the database's own folder. Whoever may connect to the database
can ask how large that is (`pg_database_size`), and so how many rows the table has, within a page of some 200.

Exact counts and the password travel encrypted, to a server that proves who it is, unless the connection says
otherwise or the server is on this machine.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, ClassVar

from synth.core.errors import Code, Refusal
from synth.private.reading.sessions import Session, Stored

if TYPE_CHECKING:
    import ibis

SECONDS_TO_CONNECT = 20
SECONDS_A_QUERY = 3600
_COLUMNS = """
SELECT a.attname, format_type(a.atttypid, a.atttypmod), coalesce(c.collisdeterministic, true)
FROM pg_attribute a LEFT JOIN pg_collation c ON c.oid = a.attcollation
WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""


class PostgresSession(Session):
    """`settings` as in `connections.ENGINES`. A text of a collation that calls different bytes equal is none.

    Raises: `Refusal` FILE_UNREADABLE for a database that is not in UTF-8.
    """

    STORED: ClassVar = {
        "smallint|integer|bigint": Stored.WHOLE,
        "double precision": Stored.FLOAT,
        r"numeric\(\d+,\d+\)": Stored.DECIMAL,
        "boolean": Stored.BOOLEAN,
        "date": Stored.DATE,
        r"timestamp(\(\d\))? without time zone": Stored.MOMENT,
        r"text|character varying(\(\d+\))?|character\(\d+\)": Stored.TEXT,
    }
    INTEGERS: ClassVar = (("smallint", 1 << 15), ("integer", 1 << 31))

    def __init__(self, settings: Mapping[str, Any]) -> None:
        import psycopg

        super().__init__()
        self._schema, self._name = str(settings.get("schema", "public")), str(settings["table"])
        self._connection = psycopg.connect(
            connect_timeout=SECONDS_TO_CONNECT, application_name="marginalia", **parameters(settings)
        )
        self._connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        self._keeps, self._held = settings.get("keep") is True, ""
        if not self._keeps:
            self._connection.read_only = True
        self._columns = self._stored()

    @property
    def columns(self) -> Mapping[str, Stored]:
        return self._columns

    @property
    def table(self) -> ibis.Table:
        return self._table(self._name, schema=self._schema)

    def rows(self, counts: ibis.Table) -> Sequence[tuple[Any, ...]]:
        import ibis

        return self._asked(ibis.to_sql(counts, dialect="postgres"))

    def kept(self, codes: ibis.Table, spans: Mapping[str, int]) -> ibis.Table:
        """In a temporary table that nobody else reads, where the connection says `keep`. As it was without
        that, and where the user may have no such table, there is no space for it, or the table is a view that
        writes. The table is made empty and filled read-only, by an INSERT: a log of definitions
        (`log_statement = ddl`) has neither labels nor the key of the draw."""
        import ibis
        from psycopg import errors

        if not self._keeps:
            return codes
        self._let_go()
        name = self._fresh_name()
        declared = ", ".join(f'"{c}" {self.smallest(span)}' for c, span in spans.items())
        columns = ", ".join(f'"{c}"::{self.smallest(span)}' for c, span in spans.items())
        source = ibis.to_sql(codes, dialect="postgres")
        none = (errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction, errors.InsufficientResources)
        try:
            with self._connection.transaction():
                self._connection.execute(f"CREATE TEMPORARY TABLE {name} ({declared}) ON COMMIT DROP")
                with self._reading():
                    self._connection.execute(
                        f"INSERT INTO pg_temp.{name} SELECT {columns} FROM ({source}) AS coded"
                    )
        except none:
            return codes
        self._held = name
        return ibis.table(dict.fromkeys(spans, "int32"), name=name, database="pg_temp").cast(
            dict.fromkeys(spans, "int64")
        )

    def close(self) -> None:
        self._connection.close()

    def __del__(self) -> None:
        with suppress(AttributeError):  # where it could not be opened
            self._connection.close()

    def _asked(self, statement: str, values: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
        """What a statement gives."""
        with self._reading():
            return list(self._connection.execute(statement, values).fetchall())

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Read-only, but for temporary tables, until the savepoint before it is released."""
        self._connection.execute("SAVEPOINT asked")
        self._connection.execute("SET TRANSACTION READ ONLY")
        yield
        self._connection.execute("RELEASE SAVEPOINT asked")

    def _let_go(self) -> None:
        """Of what is kept. Postgres deletes a dropped table when a transaction ends, and ours does not: it is
        emptied before, outside of savepoints, which gives its place back at once."""
        if self._held:
            self._connection.execute(f"TRUNCATE pg_temp.{self._held}")
            self._connection.execute(f"DROP TABLE pg_temp.{self._held}")
            self._held = ""

    def _stored(self) -> dict[str, Stored]:
        if self._asked("SHOW server_encoding") != [("UTF8",)]:
            raise Refusal(Code.FILE_UNREADABLE)
        doubled = [part.replace('"', '""') for part in (self._schema, self._name)]
        found = self._asked(_COLUMNS, ['"{}"."{}"'.format(*doubled)])
        return {name: self.stored_as(kind) if is_plain else Stored.OTHER for name, kind, is_plain in found}


def parameters(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What the driver is told, by libpq's names. Names of functions and operators are looked up in
    Postgres' own schema alone, whatever the user's `search_path` is."""
    milliseconds = 1000 * int(settings.get("timeout_seconds", SECONDS_A_QUERY))
    told = ("statement_timeout=" + str(milliseconds), "TimeZone=UTC", "client_encoding=UTF8")
    given = {name: name for name in ("host", "port", "user", "password", "sslmode", "sslrootcert")}
    given["dbname"] = "database"
    said = {name: settings[key] for name, key in given.items() if settings.get(key)}
    hosts = str(said.get("host") or os.environ.get("PGHOST", "")).split(",")
    if not all(map(_is_here, hosts)):
        said.setdefault("sslmode", "verify-full")
    return {**said, "options": " ".join(f"-c {option}" for option in (*told, "search_path=pg_catalog"))}


def _is_here(host: str) -> bool:
    """Whether a host is this machine: a socket, or the loopback address."""
    if not host or host[0] in "/@" or host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
