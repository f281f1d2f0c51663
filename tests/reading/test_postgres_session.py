"""A table in a real Postgres: types, one state of the table for a whole session, and nothing written."""

from __future__ import annotations

from typing import Any

import pytest

from synth.reading.postgres_session import PostgresSession, parameters, stored_as
from synth.reading.sessions import Stored

TABLE = 'people "of" Ärö'


def test_types_are_known_by_their_names() -> None:
    known = {"bigint": Stored.WHOLE, "numeric(12,2)": Stored.DECIMAL, "character(5)": Stored.TEXT}
    known |= {"character varying": Stored.TEXT, "character varying(9)": Stored.TEXT, "date": Stored.DATE}
    known |= {"timestamp without time zone": Stored.MOMENT, "timestamp(3) without time zone": Stored.MOMENT}
    assert {kind: stored_as(kind) for kind in known} == known
    for kind in ("numeric", "real", "timestamp with time zone", "text[]", "citext", "uuid", "money"):
        assert stored_as(kind) is Stored.OTHER


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


def test_a_query_that_takes_too_long_is_stopped(postgres: Any) -> None:
    import psycopg

    postgres.fill(TABLE, "a integer", [(1,)])
    session = PostgresSession(postgres.settings(TABLE, timeout_seconds=1))
    with pytest.raises(psycopg.errors.QueryCanceled):
        session._asked("SELECT pg_sleep(20)")
    session.close()


def temporary(postgres: Any) -> int:
    """How many tables of codes the server knows."""
    with postgres.connected() as connection:
        found = connection.execute("SELECT count(*) FROM pg_class WHERE relname LIKE 'marginalia_codes%'")
        return int(found.fetchone()[0])


def test_codes_are_kept_for_the_session_alone_and_all_else_stays_read_only(postgres: Any) -> None:
    import ibis
    import psycopg

    postgres.fill(TABLE, "a integer", [(i,) for i in range(40_000)])
    session = PostgresSession(postgres.settings(TABLE))
    low = session.kept(session.table.select(c0=session.table.a % 256), {"c0": 256})
    high = session.kept(session.table.select(c0=session.table.a), {"c0": 40_000})
    for kept, most in ((low, 255), (high, 39_999)):
        assert session.rows(kept.aggregate(n=kept.count(), m=kept["c0"].max())) == [(40_000, most)]
        assert "people" not in str(ibis.to_sql(kept, dialect="postgres"))  # nothing is asked of the cells
    assert temporary(postgres) == 0  # nobody else sees them
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        session._asked("CREATE TABLE public.more AS SELECT 1 AS a")
    session.close()
    assert temporary(postgres) == 0


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
        session = PostgresSession(postgres.settings(TABLE, user="reader"))
        codes = session.table.select(c0=session.table.a % 2)
        assert session.kept(codes, {"c0": 2}) is codes
        assert sorted(session.rows(codes)) == [(0,), (1,)]
        session.close()
    finally:
        postgres.execute(allowing, f'REVOKE ALL ON "{doubled}" FROM reader', "DROP ROLE reader")
