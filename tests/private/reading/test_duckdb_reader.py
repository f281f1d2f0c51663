"""A table in a DuckDB file as columns of text, in a DuckDB that reaches nothing else."""

from pathlib import Path
from typing import Any

import duckdb
import pytest

from synth.core.errors import Code, Refusal
from synth.private.reading.duckdb_reader import SEALED, duckdb_head, duckdb_rows


def made(path: Path, *statements: str) -> Path:
    with duckdb.connect(str(path)) as file:
        for statement in statements:
            file.execute(statement)
    return path


def texts_of(path: Path, table: str, wanted: dict[str, int]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in wanted}
    for block in duckdb_rows(path, table, wanted):
        for name, column in block.items():
            texts = column.texts.to_pylist()
            found[name] += [texts[i] for i in column.index]
    return found


def test_columns_are_text_in_the_order_of_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("synth.private.reading.duckdb_reader.BATCH_ROWS", 3000)
    path = made(
        tmp_path / "t.duckdb",
        'CREATE TABLE "odd.name" AS SELECT [1] AS x, range AS n, \' é \' AS "w""" FROM range(10000)',
    )
    assert [name for name, _ in duckdb_head(path, "")] == ["x", "n", 'w"']
    found = texts_of(path, "odd.name", {"w": 2, "n": 1})
    assert found == {"n": [str(i) for i in range(10_000)], "w": ["\xc3\xa9"] * 10_000}


@pytest.mark.parametrize(("table", "code"), [("", Code.FILE_UNREADABLE), ("two", Code.COLUMN_TYPE)])
def test_a_table_is_named_and_has_types_that_are_texts(tmp_path: Path, table: str, code: Code) -> None:
    path = made(tmp_path / "t.duckdb", "CREATE TABLE one (n INT)", "CREATE TABLE two (x INT[])")
    with pytest.raises(Refusal) as caught:
        next(duckdb_rows(path, table, {"x": 0}))
    assert caught.value.code is code


def test_a_view_over_another_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("n\n1\n")
    path = made(tmp_path / "t.duckdb", f"CREATE VIEW v AS SELECT * FROM read_csv('{tmp_path / 'other.csv'}')")
    with pytest.raises(duckdb.Error):
        duckdb_head(path, "v")


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_text('/etc/hostname')",
        "INSTALL httpfs",
        "COPY t TO '{folder}/out.csv'",
        "ATTACH '{folder}/other.duckdb'",
        "SET memory_limit = '100GB'",
        "SET enable_external_access = true",
        "INSERT INTO t VALUES (2)",
    ],
)
def test_the_sealed_duckdb_does_nothing_but_read_its_file(tmp_path: Path, statement: str) -> None:
    path = made(tmp_path / "t.duckdb", "CREATE TABLE t AS SELECT 1 AS n")
    opened: Any = duckdb.connect(str(path), read_only=True, config=dict(SEALED))
    with opened, pytest.raises(duckdb.Error):
        opened.execute(statement.format(folder=tmp_path))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["t.duckdb"]
