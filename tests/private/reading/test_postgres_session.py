"""A table in a real Postgres: types, one state of the table for a whole session, and nothing written."""

from __future__ import annotations

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
    """A function `public.abs(integer)` before Postgres' own would be asked with every row."""
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
        session._asked(f'DELETE FROM public."{doubled}"')
    session.close()
    later = PostgresSession(postgres.settings(TABLE))
    assert later.rows(count) == [(3,)]
    later.close()


def temporary(postgres: Any) -> int:
    """How many tables of codes the server knows."""
    with postgres.connected() as connection:
        found = connection.execute("SELECT count(*) FROM pg_class WHERE relname LIKE 'marginalia_codes%'")
        return int(found.fetchone()[0])


def test_codes_are_kept_for_the_session_alone_and_all_else_stays_read_only(postgres: Any) -> None:
    import ibis
    import psycopg

    postgres.fill(TABLE, "a integer", [(i,) for i in range(40_000)])
    session = PostgresSession(postgres.settings(TABLE, keep=True))
    for codes, most in ((session.table.a % 256, 255), (session.table.a, 39_999)):
        kept = session.kept(session.table.select(c0=codes), {"c0": most + 1})
        assert session.rows(kept.aggregate(n=kept.count(), m=kept["c0"].max())) == [(40_000, most)]
        assert "people" not in str(ibis.to_sql(kept, dialect="postgres"))  # nothing is asked of the cells
    assert temporary(postgres) == 0  # nobody else sees them
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        session._asked("CREATE TABLE public.more AS SELECT 1 AS a")
    session.close()
    assert temporary(postgres) == 0


WIDE = "CREATE TABLE public.wide AS SELECT i % 3 AS a, i % 2 AS b FROM generate_series(1, 100000) i"


def size(postgres: Any) -> int:
    """What everybody who may connect can ask."""
    with postgres.connected() as connection:
        return int(connection.execute("SELECT pg_database_size('postgres')").fetchone()[0])


def test_nothing_is_written_unless_the_connection_says_so(postgres: Any) -> None:
    """Bytes that are written tell every user of the database how many rows there are."""
    import psycopg

    postgres.execute("DROP TABLE IF EXISTS public.wide", WIDE)
    for settings in ({}, {"keep": False}, {"keep": "false"}):
        session = PostgresSession(postgres.settings("wide", **settings))
        codes = session.table.select(c0=session.table.a, c1=session.table.b)
        assert session.rows(codes.count().as_table()) == [(100_000,)]
        before = size(postgres)
        assert session.kept(codes, {"c0": 3, "c1": 2}) is codes and size(postgres) == before
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            session._connection.execute("CREATE TEMPORARY TABLE more (a integer)")
        session.close()


def test_codes_that_others_take_the_place_of_leave_the_disk_at_once(postgres: Any) -> None:
    postgres.execute("DROP TABLE IF EXISTS public.wide", WIDE)
    session = PostgresSession(postgres.settings("wide", keep=True))
    a, b = session.table.a, session.table.b
    before = size(postgres)
    sizes = []
    for n in range(4):
        kept = session.kept(session.table.select(c0=(a, b)[n % 2], c1=(b, a)[n % 2]), {"c0": 3, "c1": 3})
        assert session.rows(kept.count().as_table()) == [(100_000,)]
        sizes.append(size(postgres) - before)
    assert sizes[0] > 1_000_000 and max(sizes) < 1.2 * sizes[0]
    assert session._asked("SELECT count(*) FROM pg_class WHERE relname LIKE 'marginalia_codes%'") == [(1,)]
    session.close()


def test_a_view_that_writes_is_worked_out_for_nothing_that_is_kept(postgres: Any) -> None:
    """What a sequence has counted stays when all else is rolled back."""
    import psycopg

    postgres.execute(
        "CREATE TABLE public.plain AS SELECT 1 AS a FROM generate_series(1, 30)",
        "CREATE SEQUENCE public.seen",
        "CREATE FUNCTION public.noted(integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS "
        "$$BEGIN PERFORM nextval('public.seen'); RETURN $1; END$$",
        "CREATE VIEW public.writing AS SELECT public.noted(a) AS a FROM public.plain",
    )
    try:
        session = PostgresSession(postgres.settings("writing", keep=True))
        codes = session.table.select(c0=session.table.a)
        assert session.kept(codes, {"c0": 2}) is codes
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            session.rows(codes.aggregate(m=codes["c0"].max()))
        session.close()
        with postgres.connected() as connection:
            assert connection.execute("SELECT is_called FROM public.seen").fetchone() == (False,)
    finally:
        postgres.execute(
            "DROP VIEW public.writing", "DROP FUNCTION public.noted(integer)", "DROP SEQUENCE public.seen"
        )
        postgres.execute("DROP TABLE public.plain")


def test_a_log_of_definitions_has_no_constant_of_what_is_kept(postgres: Any) -> None:
    import ibis

    postgres.fill(TABLE, "a text", [("x",), ("y",)])
    postgres.execute("ALTER ROLE CURRENT_USER SET log_statement = 'ddl'")
    try:
        session = PostgresSession(postgres.settings(TABLE, keep=True))
        label = ibis.ifelse(session.table.a == "label-4411", 1, 0)
        kept = session.kept(session.table.select(c0=label), {"c0": 2})
        assert session.rows(kept.count().as_table()) == [(2,)]
        session.close()
    finally:
        postgres.execute("ALTER ROLE CURRENT_USER RESET log_statement")
    log = postgres.log.read_text()
    assert "CREATE TEMPORARY TABLE marginalia_codes_1" in log and "label-4411" not in log


@pytest.mark.parametrize(
    ("forbidding", "allowing"),
    [
        (
            "REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC",
            "GRANT TEMPORARY ON DATABASE postgres TO PUBLIC",
        ),
        ("ALTER ROLE reader SET default_transaction_read_only = on", "ALTER ROLE reader RESET ALL"),
    ],
)
def test_whoever_may_keep_nothing_has_codes_worked_out_every_time(
    postgres: Any, forbidding: str, allowing: str
) -> None:
    doubled = TABLE.replace('"', '""')
    postgres.fill(TABLE, "a integer", [(1,), (2,)])
    postgres.execute(f'CREATE ROLE reader LOGIN; GRANT SELECT ON "{doubled}" TO reader', forbidding)
    try:
        session = PostgresSession(postgres.settings(TABLE, user="reader", keep=True))
        codes = session.table.select(c0=session.table.a % 2)
        assert session.kept(codes, {"c0": 2}) is codes
        assert sorted(session.rows(codes)) == [(0,), (1,)]
        session.close()
    finally:
        postgres.execute(allowing, f'REVOKE ALL ON "{doubled}" FROM reader', "DROP ROLE reader")
