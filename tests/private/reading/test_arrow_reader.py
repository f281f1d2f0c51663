"""Arrow files as columns of text, some rows at a time."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from synth.core.errors import Code, Refusal
from synth.private.reading.arrow_reader import arrow_head, arrow_rows


def write(path: Path, table: pa.Table, batch: int) -> Path:
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, table.schema) as file:
        file.write_table(table, max_chunksize=batch)
    return path


def test_columns_are_text_batch_by_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = pa.array([" a ", "é", None] * 40).dictionary_encode()
    table = pa.table({"x": [[1]] * 120, "n": np.arange(120) / 2, "w": words})
    path = write(tmp_path / "t.arrow", table, batch=70)
    monkeypatch.setattr("synth.private.reading.arrow_reader.BATCH_ROWS", 50)
    assert [name for name, _ in arrow_head(path)] == ["x", "n", "w"]
    found: dict[str, list[str]] = {"w": [], "n": []}
    for block in arrow_rows(path, {"w": 2, "n": 1}):
        assert {len(column.index) for column in block.values()} <= {50, 20}
        for name, column in block.items():
            texts = column.texts.to_pylist()
            found[name] += [texts[i] for i in column.index]
    assert found == {"n": [str(i / 2) for i in range(120)], "w": ["a", "\xc3\xa9", ""] * 40}


def test_a_column_of_lists_is_refused_before_a_row_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "t.arrow", pa.table({"x": [[1]], "n": [1]}), batch=9)
    assert len(list(arrow_rows(path, {"n": 1}))) == 1
    with pytest.raises(Refusal) as caught:
        next(arrow_rows(path, {"x": 0}))
    assert caught.value.code is Code.COLUMN_TYPE
