"""Pieces of columns: pyarrow and Python cut the same cells, and only what is wanted is cut."""

import csv
import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.measure.lines import SPACE, cells_of
from synth.measure.pieces import Piece, csv_blocks, parquet_names, parquet_pieces, piece_of
from synth.schema import FileFormat

FORM = FileFormat(header=False)


def told(piece: Piece) -> list[str]:
    said = piece.texts.to_pylist()
    return [said[i] for i in piece.index]


CELL = st.text(alphabet='ab ,"\té\0', max_size=5)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(CELL, CELL, CELL), max_size=8), st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
def test_what_a_csv_writer_wrote_is_read(rows: list[tuple[str, str, str]], quoting: int) -> None:
    out = io.StringIO()
    csv.writer(out, quoting=quoting, lineterminator="\r\n").writerows(rows)
    content = out.getvalue().encode("latin-1")
    found: dict[str, list[str]] = {"a": [], "c": []}
    for block in csv_blocks(io.BytesIO(content), FORM, 3, {"a": 0, "c": 2}, read=b"", block=11):
        for name, piece in block.items():
            found[name] += told(piece)
    assert found["a"] == [row[0].strip(SPACE) for row in rows]
    assert found["c"] == [row[2].strip(SPACE) for row in rows]


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet='ab," ', min_size=1, max_size=14), st.integers(1, 3))
def test_a_line_is_cut_as_the_csv_module_cuts_it(line: str, width: int) -> None:
    places = {str(place): place for place in range(width)}
    found = {name: [] for name in places}
    for block in csv_blocks(io.BytesIO(line.encode()), FORM, width, places, read=b""):
        for name, piece in block.items():
            found[name] += told(piece)
    cells = cells_of(line, FORM) if '"' in line else line.split(",")
    for name, texts in found.items():
        expected = cells[int(name)].strip(SPACE) if int(name) < len(cells) else ""
        assert texts == ([expected] if line.strip(" ") else [])


def test_a_mark_inside_the_file_is_part_of_its_cell() -> None:
    content = b"1,2\n\xef\xbb\xbf3,4\n"
    for size in (1, 4, 100):
        blocks = csv_blocks(io.BytesIO(content), FORM, 2, {"a": 0}, read=b"", block=size)
        assert [t for b in blocks for t in told(b["a"])] == ["1", "\xef\xbb\xbf3"]


def test_rows_of_no_declared_width_are_rows() -> None:
    blocks = list(csv_blocks(io.BytesIO(b"1\n1,2,3\n"), FORM, 2, {"b": 1}, read=b"", block=100))
    assert [text for b in blocks for text in told(b["b"])] == ["", "2"]


def test_equal_texts_are_one_text_but_for_the_spaces_around_them() -> None:
    piece = piece_of(["a", " b", "a", "b"])
    assert told(piece) == ["a", "b", "a", "b"]
    assert len(piece.texts) == 3


def test_a_column_of_parquet_is_text_batch_by_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.parquet"
    words = pa.array([" a ", "é", None] * 40)
    pq.write_table(pa.table({"x": [[1]] * 120, "n": np.arange(120) / 2, "w": words}), path)
    monkeypatch.setattr("synth.measure.pieces.BATCH_ROWS", 50)
    assert parquet_names(path) == ["x", "n", "w"]
    found: dict[str, list[str]] = {"n": [], "w": []}
    for pieces in parquet_pieces(path, {"n": 1, "w": 2}):
        assert all(len(piece.index) <= 50 for piece in pieces.values())
        for name, piece in pieces.items():
            found[name] += told(piece)
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
    monkeypatch.setattr("synth.measure.pieces.BATCH_ROWS", 700)
    found = [t for p in parquet_pieces(path, {"w": 0}) for t in told(p["w"])]
    assert found == [t.decode("latin-1") for t in texts]


def test_a_damaged_column_is_no_column(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"n": np.arange(5000)}), path, compression="none", use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[4:60] = b"\xff" * 56
    path.write_bytes(content)
    with pytest.raises((OSError, pa.ArrowException)):
        list(parquet_pieces(path, {"n": 0}))
