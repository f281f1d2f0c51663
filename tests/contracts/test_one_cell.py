"""Change cells of one row in every kind of file: the codes of all other rows stay the same.

The type of a column is public, so no cell of one person may decide how the cells of others are read.
"""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import itertools
import resource
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

import duckdb
import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

from synth.core.discretisation import declared_axes
from synth.core.errors import Code
from synth.core.schema import Schema
from synth.dictionaries import load_schema
from synth.private.frame import Frame
from synth.private.reading import foreign
from synth.private.reading.vault import Vault
from synth.private.table import open_table
from synth.rules import parse_rules
from tests.refusals import refused
from tests.sas import write_sas

Cell = Any
Row = Sequence[Cell]

DAYS = [dt.date(2020, 1, 1), dt.date(2020, 12, 2), dt.date(2021, 5, 4)]
DAY = {"kind": "date", "min": "2020-01-01", "max": "2021-12-31", "bins": 24}
NUMBER = {"kind": "decimal", "min": 0, "max": 10, "bins": 20}
CHOICE = {"kind": "category", "outside": "other"}


@dataclass(frozen=True, kw_only=True)
class Stored:
    """A column of a file with types: its cells, its type, and unusual values of the type."""

    cells: Sequence[Cell]
    kind: pa.DataType
    odd: Sequence[Cell] = ()
    declared: Sequence[Mapping[str, Any]]
    """Different declarations of the same column."""


STORED = {
    "whole": Stored(
        cells=[0, 1, 2, 5],
        kind=pa.int64(),
        odd=[2**62, -1],
        declared=[
            {**CHOICE, "values": ["0", "1", "2", "5.0", "5"]},
            {**CHOICE, "values": [0, 1, 2, 5]},
            {"kind": "integer", "min": 0, "max": 9},
        ],
    ),
    "share": Stored(
        cells=[0.0, 1.0, 2.0, 5.0],
        kind=pa.float64(),
        odd=[0.5, float("nan"), 1e300],
        declared=[
            {**CHOICE, "values": ["0", "1", "2", "5", "0.0", "1.0", "2.0", "5.0"]},
            {**CHOICE, "values": [0, 1, 2, 5]},
            NUMBER,
        ],
    ),
    "flag": Stored(
        cells=[True, False, True, True],
        kind=pa.bool_(),
        declared=[
            {**CHOICE, "values": ["true", "false", "1", "0", "1.0", "0.0"]},
            {**CHOICE, "values": [True, False]},
        ],
    ),
    "day": Stored(
        cells=[*DAYS, DAYS[0]],
        kind=pa.date32(),
        odd=[dt.date(9999, 12, 31), dt.date(1, 1, 1)],
        declared=[
            DAY,
            {**CHOICE, "values": ["2020-01-01", "2020-12-02", "2020-01-01 00:00:00", "2020-12-02 00:00:00"]},
        ],
    ),
    "text": Stored(
        cells=["a", "b", "c", "\u00e9"],
        kind=pa.large_string(),
        odd=["x" * 300, "\0", "\u2028", "5", "nan", "\ufeff"],
        declared=[{**CHOICE, "values": ["a", "b", "c", "\u00e9"]}],
    ),
    "number as text": Stored(
        cells=["1", "2", "2.5", "5.0"],
        kind=pa.large_string(),
        odd=["x" * 300, "1,5", "1e400", "9" * 400],
        declared=[NUMBER, {**CHOICE, "values": ["1", "2", "2.5", "5"]}, {**CHOICE, "values": [1, 2, 2.5, 5]}],
    ),
    "day as text": Stored(
        cells=["2020-01-02", "2020-02-03", "2021-03-04", "2020-12-13"],
        kind=pa.large_string(),
        odd=["13/12/2020", "31.12.2020", "x" * 300, "2020-02-30", "44000"],
        declared=[DAY],
    ),
    "several": Stored(
        cells=["a;b", "b", "c;a", "a"],
        kind=pa.large_string(),
        odd=["a;;b;zzz", ";" * 300, "a,b"],
        declared=[{"kind": "category", "values": ["a", "b", "c"], "separator": ";"}],
    ),
}
WIDE = {
    "money": Stored(
        cells=[Decimal("1.00"), Decimal("2.50"), Decimal("5.00"), Decimal("9.75")],
        kind=pa.decimal128(12, 2),
        odd=[Decimal("9999999999.99")],
        declared=[NUMBER, {**CHOICE, "values": ["1.00", "2.50", "5.00", "1", "2.5", "5"]}],
    ),
    "small": Stored(
        cells=[0, 1, 2, 5],
        kind=pa.uint8(),
        odd=[255],
        declared=[{**CHOICE, "values": ["0", "1", "2", "5"]}],
    ),
    "moment": Stored(
        cells=[dt.datetime(2020, month, day) for month, day in ((1, 1), (2, 3), (5, 4), (12, 31))],
        kind=pa.timestamp("us"),
        odd=[dt.datetime(9999, 12, 31, 23, 59), dt.datetime(2020, 1, 1, 0, 0, 0, 5)],
        declared=[DAY, {**CHOICE, "values": ["2020-01-01", "2020-02-03 00:00:00", "2020-01-01 00:00:00"]}],
    ),
}
"""Columns of kinds of files that have more types."""
EXCLUSIVE = ("first", "second")
"""Two columns of yes and no, of which the schema makes one column."""


def columns_of(stored: Mapping[str, Stored]) -> list[tuple[Stored, Mapping[str, Any]]]:
    return [(column, declared) for column in stored.values() for declared in column.declared]


def schema_of(stored: Mapping[str, Stored], **file: Any) -> Schema:
    named = [{"name": f"c{i}", **declared} for i, (_, declared) in enumerate(columns_of(stored))]
    yes = [{"name": name, "kind": "category", "values": ["no", "yes"]} for name in EXCLUSIVE]
    document = {"name": "t", "population": "t", "unit": {"max_rows": 1}, "columns": [*named, *yes]}
    groups = [{"name": "one", "columns": list(EXCLUSIVE), "chosen": "yes"}]
    return load_schema({**document, "groups": groups, "file": file})


def rows_of(stored: Mapping[str, Stored]) -> list[list[Cell]]:
    """Twelve rows, one fewer of some combinations, so that no code is the same by chance."""
    return [
        [*(c.cells[i % 4] for c, _ in columns_of(stored)), *("no", "yes")[:: (-1) ** i]] for i in range(12)
    ]


def odd_rows(stored: Mapping[str, Stored], *, is_free: bool) -> Iterator[list[Cell]]:
    """A blank row, rows of unusual values, and rows of values of other types if cells are free of types."""
    columns = [column for column, _ in columns_of(stored)]
    yield [None] * (len(columns) + 2)
    unusual = itertools.zip_longest(*(column.odd for column in columns))
    for cells in unusual:
        yield [
            *(c.cells[0] if cell is None else cell for c, cell in zip(columns, cells, strict=True)),
            "yes",
            "yes",
        ]
    for cell in ("x" * 300, "\u00ff\u00fe", "NOTE", 0.5, 7, True, "1.5.2020") if is_free else ():
        yield [cell] * (len(columns) + 2)


def text(cell: Cell) -> str:
    return "" if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell)


def csv_bytes(names: Sequence[str], rows: Sequence[Row], *, header: bool = True) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(
        [names] * header + [[text(c) for c in row] for row in rows]
    )
    return out.getvalue().encode("latin-1", "replace")


def arrow(names: Sequence[str], rows: Sequence[Row]) -> pa.Table:
    kinds = [*(column.kind for column, _ in columns_of(STORED | WIDE)), pa.large_string(), pa.large_string()]
    columns = [pa.array(cells, kind) for cells, kind in zip(zip(*rows, strict=True), kinds, strict=True)]
    return pa.table(columns, names=list(names))


def objects(names: Sequence[str], rows: Sequence[Row]) -> pd.DataFrame:
    return pd.DataFrame([list(row) for row in rows], columns=list(names), dtype=object)


def statistics(names: Sequence[str], rows: Sequence[Row]) -> pd.DataFrame:
    """Numbers, texts and days, which are the types of statistics packages. Texts have at most 300 signs."""
    frame = objects(names, rows)
    for name, (column, _) in zip(names, columns_of(STORED), strict=False):
        if not pa.types.is_large_string(column.kind) and not pa.types.is_date(column.kind):
            frame[name] = frame[name].astype(float)
    texts = [name for name in names if frame[name].map(lambda c: isinstance(c, str)).any()]
    frame[texts] = frame[texts].map(lambda cell: "" if cell is None else cell.replace("\0", ""))
    return frame


def write_csv(path: Path, names: Sequence[str], rows: Sequence[Row]) -> Path:
    path.write_bytes(csv_bytes(names, rows))
    return path


def write_headless(path: Path, names: Sequence[str], rows: Sequence[Row]) -> Path:
    path.write_bytes(csv_bytes(names, rows, header=False))
    return path


def write_gz(path: Path, names: Sequence[str], rows: Sequence[Row]) -> Path:
    path.write_bytes(gzip.compress(csv_bytes(names, rows)))
    return path


def write_zip(path: Path, names: Sequence[str], rows: Sequence[Row]) -> Path:
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("t.csv", csv_bytes(names, rows))
    return path


def write_sheet(path: Path, names: Sequence[str], rows: Sequence[Row]) -> Path:
    book = openpyxl.Workbook()
    book.active.append(list(names))
    for row in rows:
        book.active.append([None if cell != cell or cell == "\0" else cell for cell in row])
    book.save(path)
    return path


def write_statistics(path: Path, names: Sequence[str], rows: Sequence[Row]) -> Path:
    write: dict[str, Callable[..., Any]] = {
        ".sav": pyreadstat.write_sav,
        ".dta": pyreadstat.write_dta,
        ".sas7bdat": write_sas,
    }
    write[path.suffix](statistics(names, rows), path)
    return path


def write_parquet(path: Path, names: Sequence[str], rows: Sequence[Row]) -> Path:
    pq.write_table(arrow(names, rows), path)
    return path


def write_arrow(path: Path, names: Sequence[str], rows: Sequence[Row]) -> Path:
    table = arrow(names, rows)
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, table.schema) as file:
        file.write_table(table)
    return path


def write_duckdb(path: Path, names: Sequence[str], rows: Sequence[Row]) -> Path:
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as base:
        base.register("given", arrow(names, rows))
        base.execute("CREATE TABLE t AS SELECT * FROM given")
    return path


def frame_of_objects(path: Path, names: Sequence[str], rows: Sequence[Row]) -> Frame:
    return Frame(objects(names, rows))


def frame_of_arrow(path: Path, names: Sequence[str], rows: Sequence[Row]) -> Frame:
    return Frame(arrow(names, rows))


def frame_with_types(path: Path, names: Sequence[str], rows: Sequence[Row]) -> Frame:
    return Frame(arrow(names, rows).to_pandas(types_mapper=pd.ArrowDtype))


Write = Callable[[Path, Sequence[str], Sequence[Row]], Path | Frame]
FREE: dict[str, Write] = {
    "csv": write_csv,
    "txt": write_headless,
    "csv.gz": write_gz,
    "zip": write_zip,
    "xlsx": write_sheet,
    "objects": frame_of_objects,
}
"""Kinds of tables in which a cell may have any type."""
FEW_TYPES: dict[str, Write] = dict.fromkeys(("sav", "dta", "sas7bdat"), write_statistics)
MANY_TYPES: dict[str, Write] = {
    "parquet": write_parquet,
    "arrow": write_arrow,
    "duckdb": write_duckdb,
    "arrow table": frame_of_arrow,
    "frame": frame_with_types,
}
FEW = ("csv.gz", "zip", "duckdb")
"""Kinds of files whose cells are read like those of another kind, so a few rows are enough."""


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read workbooks and files of statistics packages in this process, which saves most of the time."""

    @contextmanager
    def started(path: str, order: Mapping[str, Any]) -> Iterator[IO[bytes]]:
        with redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")) as out:
            foreign.main(path, order)
            out.flush()
        out.buffer.seek(0)
        yield out.buffer

    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)
    monkeypatch.setattr(foreign, "started", started)


@pytest.mark.parametrize("kind", FREE | FEW_TYPES | MANY_TYPES)
def test_a_cell_of_one_row_changes_the_code_of_no_other(kind: str, here: None, tmp_path: Path) -> None:
    write = (FREE | FEW_TYPES | MANY_TYPES)[kind]
    stored = STORED | WIDE if kind in MANY_TYPES else STORED
    has_notes = kind in ("csv", "csv.gz", "zip", "xlsx")
    schema = schema_of(stored, header=kind != "txt", **{"notes": ["NOTE"]} if has_notes else {})
    axes = declared_axes(schema, parse_rules([], schema))
    names = [*(f"c{i}" for i in range(len(columns_of(stored)))), *EXCLUSIVE]

    def placed(rows: Sequence[Row], folder: str) -> Path | Frame:
        (tmp_path / folder).mkdir(exist_ok=True)
        return write(tmp_path / folder / f"t.{kind}", names, rows)

    def codes(place: Path | Frame, vault: Vault | None = None) -> np.ndarray:
        return np.stack(open_table(place, schema, axes=axes, vault=vault).codes(axes).columns)

    usual = rows_of(stored)
    before = codes(placed(usual, "usual"), Vault(tmp_path / "vault"))
    assert (before < np.array([[axis.cells] for axis in axes])).all(axis=1).sum() > 0.7 * len(axes)
    odd_ones = itertools.islice(odd_rows(stored, is_free=kind in FREE), 2 if kind in FEW else None)
    first = 0 if kind == "txt" else 5  # whose first row has the first bytes of the file
    for odd, at in zip(odd_ones, itertools.cycle((0, first)), strict=False):
        place = placed([*usual[:at], odd, *usual[at + 1 :]], "odd")
        found = codes(place)
        others = np.delete(found, at, axis=1) if found.shape == before.shape else found
        np.testing.assert_array_equal(others, np.delete(before, at, axis=1), err_msg=f"{odd} at {at}")
    if isinstance(place, Path):
        with refused(Code.FILE_CHANGED):
            codes(place, Vault(tmp_path / "vault"))
