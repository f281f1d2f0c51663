"""Test that typed files return the rows and strings that were written to them."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from synth.core.errors import Code
from synth.private.reading.typed_files import (
    SEALED,
    arrow_head,
    arrow_rows,
    duckdb_head,
    duckdb_rows,
    parquet_rows,
)
from tests.private.reading.texts import texts_of
from tests.refusals import refused

POINTS = dict.fromkeys("nwx", ".")


def write(path: Path, table: pa.Table, batch: int) -> Path:
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, table.schema) as file:
        file.write_table(table, max_chunksize=batch)
    return path


def test_columns_are_text_batch_by_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = pa.array([" a ", "é", None] * 40).dictionary_encode()
    table = pa.table({"x": [[1]] * 120, "n": np.arange(120) / 2, "w": words})
    path = write(tmp_path / "t.arrow", table, batch=70)
    monkeypatch.setattr("synth.private.reading.typed_files.BATCH_ROWS", 50)
    assert [name for name, _ in arrow_head(path)] == ["x", "n", "w"]
    found: dict[str, list[str]] = {"w": [], "n": []}
    for block in arrow_rows(path, {"w": 2, "n": 1}, POINTS):
        assert {len(column.index) for column in block.values()} <= {50, 20}
        for name, column in block.items():
            found[name] += texts_of(column)
    assert found == {"n": [str(i / 2) for i in range(120)], "w": ["a", "\xc3\xa9", ""] * 40}


def test_a_column_of_lists_is_refused_before_a_row_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "t.arrow", pa.table({"x": [[1]], "n": [1]}), batch=9)
    assert len(list(arrow_rows(path, {"n": 1}, POINTS))) == 1
    with refused(Code.COLUMN_TYPE):
        next(arrow_rows(path, {"x": 0}, POINTS))


def test_invalid_utf8_is_lost_alone_at_any_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, rows = tmp_path / "t.parquet", 9000
    texts = [b"f"] * rows
    texts[8000] = b"\xff"
    offsets = np.arange(rows + 1, dtype=np.int32)
    broken = pa.StringArray.from_buffers(rows, pa.py_buffer(offsets), pa.py_buffer(b"".join(texts)))
    pq.write_table(pa.table({"w": broken}), path, row_group_size=1000)
    monkeypatch.setattr("synth.private.reading.typed_files.BATCH_ROWS", 700)
    found = [t for p in parquet_rows(path, {"w": 0}, POINTS) for t in texts_of(p["w"])]
    assert found == [t.decode("latin-1") for t in texts]


def test_a_damaged_column_is_no_column(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"n": np.arange(5000)}), path, compression="none", use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[4:60] = b"\xff" * 56
    path.write_bytes(content)
    with pytest.raises((OSError, pa.ArrowException)):
        list(parquet_rows(path, {"n": 0}, POINTS))


def made(path: Path, *statements: str) -> Path:
    with duckdb.connect(str(path)) as file:
        for statement in statements:
            file.execute(statement)
    return path


@pytest.mark.parametrize(("table", "code"), [("", Code.FILE_UNREADABLE), ("two", Code.COLUMN_TYPE)])
def test_a_table_is_named_and_has_types_that_are_texts(tmp_path: Path, table: str, code: Code) -> None:
    path = made(tmp_path / "t.duckdb", "CREATE TABLE one (n INT)", "CREATE TABLE two (x INT[])")
    with refused(code):
        next(duckdb_rows(path, {"x": 0}, POINTS, table=table))


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
