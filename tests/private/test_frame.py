"""A data frame is a table like any other: its rows, nothing on a disk, and no word of a cell."""

import datetime as dt
import pickle
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from synth.core.axis import Axis
from synth.core.errors import Code, Mistake, Refusal
from synth.core.schema import Column, Kind, Schema, Unit
from synth.private.frame import Frame
from synth.private.reading.files import read_columns
from synth.private.table import open_table
from tests.private.reading.texts import texts_of
from tests.refusals import refused

CANARY = "canary-3hfe"


class Polars:
    """A data frame of another library, which gives an Arrow stream and nothing else."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested)


def texts(frame: Any, *names: str) -> dict[str, list[str]]:
    columns = tuple(Column(name=name, kind=Kind.CATEGORY) for name in names)
    schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=columns)
    held: dict[str, list[str]] = {name: [] for name in names}
    for block in read_columns(Frame(frame), schema):
        for name, column in block.items():
            held[name] += texts_of(column)
    return held


FRAME = pd.DataFrame(
    {
        "n": pd.array([1, None, 3], dtype="Int64"),
        "f": [0.5, np.nan, 2.0],
        "s": [" é ", None, "x"],
        "c": pd.Categorical(["u", None, "v"], categories=["v", "w", "u"]),
        "t": pd.to_datetime(["2024-02-29 10:00:00", None, "1999-12-31 00:00:01"]),
        "d": [dt.date(2024, 2, 29), None, dt.datetime(1999, 12, 31)],
        "o": [True, 7, 7.0],
        "b": [True, False, True],
    }
)
TEXTS = {
    "n": ["1", "", "3"],
    "f": ["0.5", "", "2.0"],
    "s": ["\xc3\xa9", "", "x"],
    "c": ["u", "", "v"],
    "t": ["2024-02-29 10:00:00", "", "1999-12-31 00:00:01"],
    "d": ["2024-02-29", "", "1999-12-31"],
    "o": ["true", "7", "7"],
    "b": ["true", "false", "true"],
}


def test_every_library_gives_the_same_texts() -> None:
    assert texts(FRAME, *TEXTS) == TEXTS
    typed = FRAME.drop(columns=["d", "o"])
    table = pa.Table.from_pandas(typed, preserve_index=False)
    for frame in (table, table.to_batches()[0], Polars(table)):
        assert texts(frame, *typed) == {name: TEXTS[name] for name in typed}


def test_no_object_decides_how_another_is_written() -> None:
    cells = [True, dt.date(2020, 1, 1), b"\xff", "\ud800", [1], CANARY, 1e300]
    whole = texts(pd.DataFrame({"o": cells}), "o")["o"]
    for place in range(len(cells)):
        fewer = texts(pd.DataFrame({"o": cells[:place] + cells[place + 1 :]}), "o")["o"]
        assert fewer == whole[:place] + whole[place + 1 :]


def test_no_cell_of_objects_decides_the_type_of_its_column() -> None:
    """Cells that have one type together would be written in that type: 1 beside 2.5 as 1.0."""
    cells = [1, 2.5, 7.0, True, 1e16, Decimal("1.50"), dt.date(2020, 1, 1), "1", None, np.float32(0.1)]

    def written(*some: Any) -> list[str]:
        return texts(pd.DataFrame({"o": pd.Series(some, dtype=object)}), "o")["o"]

    alone = [written(cell)[0] for cell in cells]
    for place, cell in enumerate(cells):
        for other, text in zip(cells, alone, strict=True):
            assert written(cell, other) == [alone[place], text], (cell, other)


def test_numbers_among_texts_are_read_as_numbers() -> None:
    """A column of objects with decimal commas: its texts have them, its floats are numbers."""
    column = Column(name="o", kind=Kind.DECIMAL, min=0, max=9999, decimal_sign=",", thousands=".")
    schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=(column,))
    axis = Axis(column=column, edges=(0.0, 1.0, 2.0, 1000.0, 2000.0))
    cells = [1.5, "1,5", "1.234,5", 1234.5, np.float32(0.5), 1500]
    table = open_table(Frame(pd.DataFrame({"o": cells})), schema, axes=[axis])
    assert table.codes([axis]).columns[0].tolist() == [1, 1, 3, 3, 0, 3]


def test_it_shows_and_copies_nothing() -> None:
    frame = Frame(pd.DataFrame({"a": [CANARY]}))
    assert CANARY not in repr(frame) + str(frame)
    with pytest.raises(Refusal):
        pickle.dumps(frame)
    assert frame.fingerprint(b"k") == Frame(pd.DataFrame({"a": [CANARY]})).fingerprint(b"k")
    assert frame.fingerprint(b"k") != frame.fingerprint(b"l")
    assert frame.fingerprint(b"k") != Frame(pd.DataFrame({"a": ["other"]})).fingerprint(b"k")


def test_what_is_no_frame_is_named_and_nested_cells_are_refused() -> None:
    with pytest.raises(Mistake, match="'list'"):
        Frame([CANARY])
    schema = Schema(
        name="t", population="t", unit=Unit(max_rows=1), columns=(Column(name="a", kind=Kind.CATEGORY),)
    )
    for frame, code in (
        (pa.table({"a": [[CANARY]]}), Code.COLUMN_TYPE),
        (pd.DataFrame([["x", "y"]], columns=["a", "a"]), Code.HEADER_REPEATED),
        (pd.DataFrame({"b": [CANARY]}), Code.HEADER_MISMATCH),
    ):
        with refused(code):
            open_table(Frame(frame), schema)


def test_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    texts(FRAME, "s")
    assert not list(tmp_path.iterdir())
