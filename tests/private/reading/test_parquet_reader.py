"""Parquet as columns of text, some rows at a time."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from synth.private.reading.parquet_reader import parquet_head, parquet_rows
from synth.private.reading.text_column import TextColumn


def texts_of(column: TextColumn) -> list[str]:
    texts = column.texts.to_pylist()
    return [texts[i] for i in column.index]


def test_a_column_of_parquet_is_text_batch_by_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.parquet"
    words = pa.array([" a ", "é", None] * 40)
    pq.write_table(pa.table({"x": [[1]] * 120, "n": np.arange(120) / 2, "w": words}), path)
    monkeypatch.setattr("synth.private.reading.parquet_reader.BATCH_ROWS", 50)
    assert [name for name, _ in parquet_head(path)] == ["x", "n", "w"]
    found: dict[str, list[str]] = {"n": [], "w": []}
    for block in parquet_rows(path, {"n": 1, "w": 2}):
        assert all(len(column.index) <= 50 for column in block.values())
        for name, column in block.items():
            found[name] += texts_of(column)
    assert found == {"n": [str(i / 2) for i in range(120)], "w": ["a", "\xc3\xa9", ""] * 40}


def test_what_is_no_utf8_is_lost_alone_wherever_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, rows = tmp_path / "t.parquet", 9000
    texts = [b"f"] * rows
    texts[8000] = b"\xff"
    offsets = np.arange(rows + 1, dtype=np.int32)
    broken = pa.StringArray.from_buffers(rows, pa.py_buffer(offsets), pa.py_buffer(b"".join(texts)))
    pq.write_table(pa.table({"w": broken}), path, row_group_size=1000)
    monkeypatch.setattr("synth.private.reading.parquet_reader.BATCH_ROWS", 700)
    found = [t for p in parquet_rows(path, {"w": 0}) for t in texts_of(p["w"])]
    assert found == [t.decode("latin-1") for t in texts]


def test_a_damaged_column_is_no_column(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"n": np.arange(5000)}), path, compression="none", use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[4:60] = b"\xff" * 56
    path.write_bytes(content)
    with pytest.raises((OSError, pa.ArrowException)):
        list(parquet_rows(path, {"n": 0}))
