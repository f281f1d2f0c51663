"""Test counting a DuckDB file inside DuckDB: types, comparison by bytes, and sealing."""

from pathlib import Path
from typing import Any

import duckdb
import pytest

from synth.private.reading.duckdb_session import DuckdbSession

ibis = pytest.importorskip("ibis", reason="the extra 'databases' is not installed")


def session_of(folder: Path, statement: str) -> DuckdbSession:
    with duckdb.connect(str(folder / "t.duckdb")) as base:
        base.execute(statement)
    return DuckdbSession({"path": str(folder / "t.duckdb"), "table": "t"})


def test_text_is_compared_byte_by_byte_whatever_the_column_declares(tmp_path: Path) -> None:
    session = session_of(tmp_path, "CREATE TABLE t AS SELECT * FROM (VALUES ('X'), ('x')) v(a)")
    with duckdb.connect(str(tmp_path / "other.duckdb")) as base:
        base.execute("CREATE TABLE t (a VARCHAR COLLATE NOCASE)")
        base.execute("INSERT INTO t VALUES ('X'), ('x')")
    session.close()
    session = DuckdbSession({"path": str(tmp_path / "other.duckdb"), "table": "t"})
    plain: Any = session.table.filter(session.table.a == "x").count().as_table()
    exact: Any = session.table.filter(session.text(session.table.a) == "x").count().as_table()
    assert session.rows(plain) == [(2,)] and session.rows(exact) == [(1,)]
    session.close()


def test_what_lies_outside_the_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a\n1\n")
    session = session_of(tmp_path, f"CREATE VIEW t AS SELECT * FROM read_csv('{tmp_path / 'other.csv'}')")
    with pytest.raises(duckdb.Error):
        session.rows(session.table.count().as_table())
    session.close()


def kept_names(session: DuckdbSession) -> list[str]:
    found = session._connection.execute("SELECT table_name FROM duckdb_tables() WHERE temporary").fetchall()
    return [name for (name,) in found]


def test_codes_that_are_kept_are_not_worked_out_again_and_lie_in_no_file(tmp_path: Path) -> None:
    session = session_of(tmp_path, "CREATE TABLE t AS SELECT range AS a FROM range(70000)")
    before = sorted(tmp_path.rglob("*"))
    for codes, most in ((session.table.a % 256, 255), (session.table.a, 69_999)):
        kept = session.kept(session.table.select(c0=codes), {"c0": most + 1})
        assert session.rows(kept.aggregate(n=kept.count(), m=kept["c0"].max())) == [(70_000, most)]
        assert '"t"' not in str(ibis.to_sql(kept, dialect="duckdb"))  # nothing is asked of the cells
        assert len(kept_names(session)) == 1  # those before are let go
    assert sorted(tmp_path.rglob("*")) == before
    session.close()


def test_codes_that_memory_does_not_hold_are_worked_out_every_time(tmp_path: Path) -> None:
    session_of(tmp_path, "CREATE TABLE t AS SELECT range AS a FROM range(20000000)").close()
    settings = {"path": str(tmp_path / "t.duckdb"), "table": "t", "memory_limit": "24MB", "threads": 1}
    session = DuckdbSession(settings)
    codes = session.table.select(c0=session.table.a % 70_000)
    assert session.kept(codes, {"c0": 70_000}) is codes and kept_names(session) == []
    assert session.rows(session.table.count().as_table()) == [(20_000_000,)]
    session.close()


def test_codes_that_leave_no_memory_for_a_count_are_let_go(tmp_path: Path) -> None:
    made = "SELECT (hash(range) % 60000)::INTEGER AS a, (hash(range * 7) % 60000)::INTEGER AS b"
    session_of(tmp_path, f"CREATE TABLE t AS {made} FROM range(1500000)").close()
    settings = {"path": str(tmp_path / "t.duckdb"), "table": "t", "memory_limit": "10MB", "threads": 1}
    session = DuckdbSession(settings)
    codes = session.table.select(c0=session.table.a.cast("int64"), c1=session.table.b.cast("int64"))
    kept = session.kept(codes, {"c0": 60_000, "c1": 60_000})
    assert kept is not codes and len(kept_names(session)) == 1
    found = session.rows(kept.group_by("c0").aggregate(n=kept.count()))
    assert len(found) == 60_000 and sum(n for _, n in found) == 1_500_000
    assert kept_names(session) == []
    assert session.rows(kept.count().as_table()) == [(1_500_000,)]
    assert session.kept(codes, {"c0": 60_000, "c1": 60_000}) is codes
    session.close()
