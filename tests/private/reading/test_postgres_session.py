"""Test a table in a real Postgres: types, one state of the table per session, and no writes."""

from typing import Any

import pytest

from synth.private.reading.postgres_session import PostgresSession, parameters
from synth.private.reading.sessions import Stored

TABLE = 'people "of" Ärö'


@pytest.mark.parametrize(
    "host", ["db.example.org", "192.0.2.7", "2001:db8::7", "localhost,db", "127.example"]
)
def test_counts_of_another_machine_travel_encrypted(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGHOST", raising=False)
    settings = {"host": host, "database": "d", "table": "t"}
    assert parameters(settings)["sslmode"] == "verify-full"
    assert parameters({**settings, "sslmode": "require"})["sslmode"] == "require"
    monkeypatch.setenv("PGHOST", host)
    assert parameters({"database": "d", "table": "t"})["sslmode"] == "verify-full"


@pytest.mark.parametrize("host", ["", "/run/postgresql", "@here", "localhost", "127.0.0.1", "::1"])
def test_a_server_on_this_machine_needs_no_certificate(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGHOST", raising=False)
    assert "sslmode" not in parameters({"host": host, "database": "d", "table": "t"})


def test_functions_are_postgres_own(postgres: Any) -> None:
    """A function `public.abs(integer)` that precedes Postgres' built-in function would be called with every
    row.
    """
    postgres.fill(TABLE, "a integer", [(-2,)])
    postgres.execute(
        "CREATE OR REPLACE FUNCTION public.abs(integer) RETURNS integer LANGUAGE sql AS 'SELECT 77'",
        "ALTER ROLE CURRENT_USER SET search_path = public, pg_catalog",
    )
    try:
        session = PostgresSession(postgres.settings(TABLE))
        assert session.rows(session.table.select(n=session.table.a.abs())) == [(2,)]
        session.close()
    finally:
        postgres.execute("ALTER ROLE CURRENT_USER RESET search_path", "DROP FUNCTION public.abs(integer)")


def test_a_text_that_is_not_compared_by_its_bytes_is_none(postgres: Any) -> None:
    postgres.execute(
        "CREATE COLLATION IF NOT EXISTS nocase (provider=icu, locale='und-u-ks-level2', deterministic=false)"
    )
    postgres.fill(TABLE, 'a text COLLATE nocase, b text, c integer, "d e" real', [])
    session = PostgresSession(postgres.settings(TABLE))
    kinds = (Stored.OTHER, Stored.TEXT, Stored.WHOLE, Stored.OTHER)
    assert session.columns == dict(zip(("a", "b", "c", "d e"), kinds, strict=True))
    session.close()


def test_a_session_sees_one_state_of_the_table_and_writes_nothing(postgres: Any) -> None:
    import psycopg

    postgres.fill(TABLE, "a integer", [(1,), (2,)])
    session = PostgresSession(postgres.settings(TABLE))
    count = session.table.count().as_table()
    assert session.rows(count) == [(2,)]
    doubled = TABLE.replace('"', '""')
    postgres.execute(f'INSERT INTO "{doubled}" VALUES (3)')
    assert session.rows(count) == [(2,)]
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        session._requested(f'DELETE FROM public."{doubled}"')
    session.close()
    later = PostgresSession(postgres.settings(TABLE))
    assert later.rows(count) == [(3,)]
    later.close()


WIDE = "CREATE TABLE public.wide AS SELECT i % 3 AS a, i % 2 AS b FROM generate_series(1, 100000) i"


def size(postgres: Any) -> int:
    """Return the size of the database, which every user who can connect may query."""
    with postgres.connected() as connection:
        return int(connection.execute("SELECT pg_database_size('postgres')").fetchone()[0])


def test_nothing_is_written(postgres: Any) -> None:
    """The number of written bytes would reveal the number of rows to every user of the database."""
    import psycopg

    postgres.execute("DROP TABLE IF EXISTS public.wide", WIDE)
    session = PostgresSession(postgres.settings("wide"))
    codes = session.table.select(c0=session.table.a, c1=session.table.b)
    assert session.rows(codes.count().as_table()) == [(100_000,)]
    before = size(postgres)
    assert session.kept(codes, {"c0": 3, "c1": 2}) is codes and size(postgres) == before
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        session._connection.execute("CREATE TEMPORARY TABLE more (a integer)")
    session.close()


def test_a_view_that_writes_is_refused(postgres: Any) -> None:
    """The value of a sequence remains after everything else is rolled back."""
    import psycopg

    postgres.execute(
        "CREATE SEQUENCE public.seen",
        "CREATE VIEW public.writing AS SELECT nextval('public.seen')::integer AS a",
    )
    try:
        session = PostgresSession(postgres.settings("writing"))
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            session.rows(session.table.aggregate(m=session.table.a.max()))
        session.close()
        with postgres.connected() as connection:
            assert connection.execute("SELECT is_called FROM public.seen").fetchone() == (False,)
    finally:
        postgres.execute("DROP VIEW public.writing", "DROP SEQUENCE public.seen")
