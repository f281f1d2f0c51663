"""Which session a connection opens."""

from __future__ import annotations

from contextlib import closing

from synth.core.errors import Code
from synth.private.reading.connections import Connection
from synth.private.reading.duckdb_session import DuckdbSession
from synth.private.reading.postgres_session import PostgresSession
from synth.private.reading.sessions import Session
from synth.private.reading.spark_session import SparkSession
from synth.private.sealed import sealed


def opened(connection: Connection) -> Session:
    """The table of a connection."""
    match connection.engine:
        case "postgres":
            return PostgresSession(connection.settings)
        case "duckdb":
            return DuckdbSession(connection.settings)
    return SparkSession(connection.settings)


@sealed(Code.DATABASE_LOST)
def column_names(connection: Connection) -> list[str]:
    """The names of a table's columns; its rows are not looked at. Raises: `Refusal` DATABASE_LOST."""
    with closing(opened(connection)) as session:
        return list(session.columns)
