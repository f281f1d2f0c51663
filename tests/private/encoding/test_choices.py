"""Test that multiple-choice columns and groups have the same codes for every kind of file."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from synth.core.discretisation import axis_of
from synth.core.schema import Column, Group, Kind, Outside, Schema, Unit
from synth.private.table import open_table

NO, YES, BLANK = 0, 1, 2
CELLS = {
    "a;b": (YES, YES), " b ; a ;": (YES, YES), "a;a": (YES, NO), "A": (YES, NO), "a;x": (YES, NO),
    "b": (NO, YES), "": (BLANK, BLANK), "NA": (BLANK, BLANK), ";": (BLANK, BLANK), "x": (BLANK, BLANK),
    "a,b": (BLANK, BLANK),
}  # fmt: skip


def schema_of(*columns: Column, groups: tuple[Group, ...] = ()) -> Schema:
    return Schema(name="t", population="p", unit=Unit(max_rows=1), columns=columns, groups=groups)


def coded(path: Path, schema: Schema, rows: dict[str, list[str]]) -> list[tuple[int, ...]]:
    """Return the rows as codes, which must be the same from a CSV and a Parquet file."""
    pd.DataFrame(rows).to_csv(path / "t.csv", index=False, quoting=csv.QUOTE_ALL)
    pq.write_table(pa.table({name: pa.array(cells) for name, cells in rows.items()}), path / "t.parquet")
    axes = [axis_of(column) for column in schema.modelled]
    found = [
        np.stack(open_table(path / name, schema, axes=known).codes(axes).columns).T.tolist()
        for name in ("t.csv", "t.parquet")
        for known in (axes, axes[:1])
    ]
    assert all(one == found[0] for one in found)
    return [tuple(row) for row in found[0]]


@pytest.mark.parametrize("is_joint", [True, False])
@pytest.mark.parametrize("may_be_blank", [True, False])
def test_a_cell_is_the_set_of_its_options(tmp_path: Path, may_be_blank: bool, is_joint: bool) -> None:
    column = Column(
        name="h", kind=Kind.CATEGORY, values=("a", "b"), reads=(("A",), ()), separator=";",
        blank=may_be_blank, joint=is_joint,
    )  # fmt: skip
    expected = [codes if may_be_blank or BLANK not in codes else (NO, NO) for codes in CELLS.values()]
    if is_joint:
        found = ["none of these", "a", "b", "a;b"][may_be_blank:]
        labels = {(NO, NO): "none of these", (YES, NO): "a", (NO, YES): "b", (YES, YES): "a;b"}
        expected = [(found.index(labels[one]) if one in labels else len(found),) for one in expected]
    assert coded(tmp_path, schema_of(column), {"h": list(CELLS)}) == expected


def test_an_option_that_is_not_declared_may_be_other(tmp_path: Path) -> None:
    column = Column(name="h", kind=Kind.CATEGORY, values=("a",), separator="|", outside=Outside.OTHER)
    cells = {"a": 0, "x|NA": 1, "y|a": 2, "NA": 3}
    assert coded(tmp_path, schema_of(column), {"h": list(cells)}) == [(code,) for code in cells.values()]


def test_an_exclusive_option_does_not_count_next_to_others(tmp_path: Path) -> None:
    column = Column(
        name="h", kind=Kind.CATEGORY, values=("a", "b", "none"), separator=";", exclusive="none", blank=False
    )
    cells = {"a": 0, "b;a": 2, "none": 3, "none; a": 0, "": 3, "x": 3}
    assert coded(tmp_path, schema_of(column), {"h": list(cells)}) == [(code,) for code in cells.values()]
    listed = replace(column, combinations=(("none",), ("a", "b")), blank=True)
    cells = {"none": 0, "b;a": 1, "b": 2, "": 2}
    assert coded(tmp_path, schema_of(listed), {"h": list(cells)}) == [(code,) for code in cells.values()]


def test_many_options_are_divided_into_parts_that_agree(tmp_path: Path) -> None:
    names = "abcdefgh"
    column = Column(name="h", kind=Kind.CATEGORY, values=(*names, "-"), separator=";", exclusive="-")
    schema = schema_of(column)
    first, second = schema.modelled
    assert [len(first.values), len(second.values)] == [17, 17]
    rows = coded(tmp_path, schema, {"h": ["a;h", "-", "", "b;-"]})
    shown = [
        tuple(
            part.values[code] if code < 17 else None for part, code in zip((first, second), row, strict=True)
        )
        for row in rows
    ]
    assert shown == [("a", "h"), ("-", "-"), (None, None), ("b", "none of these")]


def test_several_columns_can_be_options(tmp_path: Path) -> None:
    columns = [Column(name=name, kind=Kind.CATEGORY, values=(0, 1)) for name in "xyz"]
    group = Group(name="g", columns=("x", "y", "z"), several=True, exclusive="z")
    rows = {("1", "1", "0"): "x + y", ("", "", ""): None, ("0", "", "0"): "z", ("1", "0", "1"): "x"}
    schema = schema_of(*columns, groups=(group,))
    found = coded(tmp_path, schema, dict(zip("xyz", map(list, zip(*rows, strict=True)), strict=True)))
    labels = [*schema.column("g").values, None]
    assert [labels[code] for (code,) in found] == list(rows.values())


@pytest.mark.parametrize("at_most", [True, False])
def test_a_group_has_one_code_for_each_column(tmp_path: Path, at_most: bool) -> None:
    columns = [Column(name=name, kind=Kind.CATEGORY, values=(0, 1)) for name in ("x", "y")]
    rows = {
        ("1", "0"): 0, ("", "1.0"): 1, ("1", "1"): -1, ("", ""): -1, ("0", "0"): 2, ("0", "?"): 2,
        ("7", "1"): 1,
    }  # fmt: skip
    group = Group(name="g", columns=("x", "y"), at_most=at_most)
    found = coded(
        tmp_path,
        schema_of(*columns, groups=(group,)),
        dict(zip("xy", map(list, zip(*rows, strict=True)), strict=True)),
    )
    missing = 3 if at_most else 2
    assert found == [(missing if code < 0 else code,) for code in rows.values()]


def test_a_column_that_only_marks_yes_is_blank_for_no(tmp_path: Path) -> None:
    columns = [Column(name=name, kind=Kind.CATEGORY, values=("X",)) for name in ("x", "y")]
    columns.append(Column(name="z", kind=Kind.CATEGORY, values=("-", "X")))
    group = Group(name="g", columns=("x", "y", "z"), chosen="x", at_most=True)
    rows = {"x": ["X", "", "", ""], "y": ["", "X", "", ""], "z": ["", "", "-", ""]}
    assert coded(tmp_path, schema_of(*columns, groups=(group,)), rows) == [(0,), (1,), (3,), (4,)]
    marks = Group(name="g", columns=("x", "y"), chosen="x", at_most=True)
    assert not schema_of(*columns, groups=(marks,)).column("g").blank
    assert coded(tmp_path, schema_of(*columns[:2], groups=(marks,)), rows) == [(0,), (1,), (2,), (2,)]
