"""Find connections to databases by name.

The details of a connection (host, user, password, table) are stored outside all projects: in the connections
file (`places.connections`), which only its owner can read, or in the environment. Projects, runs and release
packages contain only the name.

    [census]                                 MARGINALIA_CONNECTION_CENSUS='engine = "duckdb" ...'
    engine = "postgres"
    host = "db.example.org"
    user = "reader"
    password = "..."                         or: password_variable = "MARGINALIA_CENSUS_PASSWORD"
    database = "register"
    table = "people"                         and, where it is not "public": schema = "..."
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from synth.core.errors import Code, Mistake
from synth.core.system import places
from synth.private.reading.duckdb_session import DuckdbSession
from synth.private.reading.postgres_session import PostgresSession
from synth.private.reading.sessions import Session
from synth.private.reading.spark_session import SparkSession
from synth.private.sealed import Hidden, sealed

VARIABLE = "MARGINALIA_CONNECTION_"
ENGINES = {
    "postgres": (
        "host",
        "port",
        "user",
        "password",
        "sslmode",
        "sslrootcert",
        "database",
        "schema",
        "table",
        "timeout_seconds",
    ),
    "duckdb": ("path", "table", "memory_limit", "threads"),
    "pyspark": ("master", "files", "config"),
}
"""The supported databases, with the keys of a connection to each."""
NEEDED = {"postgres": ("database", "table"), "duckdb": ("path", "table"), "pyspark": ("files",)}
_EXTRA = "marginalia[databases]"
_DRIVERS = {"postgres": ("ibis", "psycopg"), "duckdb": ("ibis",), "pyspark": ("ibis", "pyspark")}


@dataclass(frozen=True, repr=False)
class Connection(Hidden):
    """The details of a connection to one table. It has an empty `repr` and cannot be pickled."""

    engine: str
    settings: Mapping[str, Any] = field(default_factory=dict)


def connection_of(name: str) -> Connection:
    """Return the connection with this name.

    Raises: `Mistake` if there is no usable connection. The message quotes only names, never the content of a
    connection.
    """
    said = _said(name)
    engine = said.pop("engine", None)
    if engine not in ENGINES:
        raise Mistake(
            f"Connection {name!r} has no supported engine. Set engine to one of "
            f"{', '.join(map(repr, ENGINES))}. For another database, export the table as Parquet."
        )
    if (variable := said.pop("password_variable", None)) is not None:
        said["password"] = os.environ.get(str(variable), "")
    unknown = [key for key in said if key not in ENGINES[engine]]
    lacking = [key for key in NEEDED[engine] if key not in said]
    if unknown or lacking:
        faults = [f"missing: {_listed(lacking)}"] * bool(lacking)
        faults += [f"number of unknown keys: {len(unknown)}"] * bool(unknown)
        raise Mistake(
            f"Connection {name!r} is invalid: {'; '.join(faults)}. "
            f"Keys for {engine}: {', '.join(ENGINES[engine])}."
        )
    if any(find_spec(package) is None for package in _DRIVERS[engine]):
        raise Mistake(
            f"Counting in {engine} needs packages that are not installed. Run: pip install '{_EXTRA}'."
        )
    return Connection(engine, said)


def opened(connection: Connection) -> Session:
    """Open the table of a connection."""
    match connection.engine:
        case "postgres":
            return PostgresSession(connection.settings)
        case "duckdb":
            return DuckdbSession(connection.settings)
    return SparkSession(connection.settings)


@sealed(Code.DATABASE_LOST)
def column_names(connection: Connection) -> list[str]:
    """Return the names of a table's columns without reading its rows. Raises: `Refusal` DATABASE_LOST."""
    with closing(opened(connection)) as session:
        return list(session.columns)


def _said(name: str) -> dict[str, Any]:
    try:
        variable = VARIABLE + name.upper().replace("-", "_")
        if variable in os.environ:
            return tomllib.loads(os.environ[variable])
        path = places.connections()
        if path.exists() and os.name == "posix" and path.stat().st_mode & 0o077:
            raise Mistake(f"Other users can read the connections file {str(path)!r}. {_closing(path)}")
        every = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        found = every.get(name)
    except (OSError, ValueError):
        raise Mistake(
            "Cannot read the connections: the file is not valid TOML or cannot be opened. See the help page "
            "on databases for the format."
        ) from None
    if not isinstance(found, dict):
        raise Mistake(
            f"There is no connection {name!r}. Add it to {str(places.connections())!r}, or set {variable}."
        )
    return dict(found)


def _closing(path: Path) -> str:
    """Return the advice about a file that other users can read.

    A file with a different name might not be a connections file.
    """
    if path.name == places.CONNECTIONS_FILE:
        return f"Restrict it to its owner: chmod 600 {path}."
    return (
        f"{places.CONNECTIONS} names it. Set the variable to a connections file that only its owner can "
        "read, or restrict this file if it contains nothing else."
    )


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names)) or "nothing"
