"""Count a table in Postgres, in one read-only transaction that is never committed.

All counts use the same state of the table, and nothing is written. Any user who can connect to the database
could see the size of stored data, and so the number of rows (`pg_database_size`).

Exact counts and the password are encrypted in transit, to a server with a verified certificate, unless the
connection sets another mode or the server is on this machine.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from synth.core.errors import Code, Refusal
from synth.private.reading.sessions import Session, Stored, builtin

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
    """A session with Postgres. `settings` contains the keys listed in `connections.ENGINES`.

    A column whose collation treats different bytes as equal is not read as text. Raises: `Refusal`
    FILE_UNREADABLE if the database does not use UTF-8.
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

    def __init__(self, settings: Mapping[str, Any]) -> None:
        import psycopg

        super().__init__()
        self._schema, self._name = str(settings.get("schema", "public")), str(settings["table"])
        self._connection = psycopg.connect(
            connect_timeout=SECONDS_TO_CONNECT, application_name="marginalia", **parameters(settings)
        )
        self._connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        self._connection.read_only = True
        self.columns = self._stored()

    @property
    def table(self) -> ibis.Table:
        return self._table(self._name, schema=self._schema)

    def rows(self, counts: ibis.Table) -> Sequence[tuple[Any, ...]]:
        import ibis

        return self._requested(ibis.to_sql(counts, dialect="postgres"))

    def composed(self, text: Any) -> Any:
        return builtin("normalize")(text)

    def close(self) -> None:
        self._connection.close()

    def __del__(self) -> None:
        with suppress(AttributeError):  # if it could not be opened
            self._connection.close()

    def _requested(self, statement: str, values: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
        """Return the result rows of a statement."""
        return list(self._connection.execute(statement, values).fetchall())

    def _stored(self) -> dict[str, Stored]:
        if self._requested("SHOW server_encoding") != [("UTF8",)]:
            raise Refusal(Code.FILE_UNREADABLE)
        doubled = [part.replace('"', '""') for part in (self._schema, self._name)]
        found = self._requested(_COLUMNS, ['"{}"."{}"'.format(*doubled)])
        return {name: self.stored_as(kind) if is_plain else Stored.OTHER for name, kind, is_plain in found}


def parameters(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the driver, with libpq's names.

    Functions and operators are looked up only in Postgres' own schema, regardless of the user's
    `search_path`.
    """
    milliseconds = 1000 * int(settings.get("timeout_seconds", SECONDS_A_QUERY))
    fields = ("statement_timeout=" + str(milliseconds), "TimeZone=UTC", "client_encoding=UTF8")
    given = {name: name for name in ("host", "port", "user", "password", "sslmode", "sslrootcert")}
    given["dbname"] = "database"
    said = {name: settings[key] for name, key in given.items() if settings.get(key)}
    hosts = str(said.get("host") or os.environ.get("PGHOST", "")).split(",")
    if not all(map(_is_here, hosts)):
        said.setdefault("sslmode", "verify-full")
    return {**said, "options": " ".join(f"-c {option}" for option in (*fields, "search_path=pg_catalog"))}


def _is_here(host: str) -> bool:
    """Whether a host is this machine, given as a socket or as a loopback address."""
    if not host or host[0] in "/@" or host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
