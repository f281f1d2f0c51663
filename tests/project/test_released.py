"""What a bundle's codes are called, and which folders are none."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pandas as pd
import pytest

from synth.axis import Axis, Grouping
from synth.errors import Mistake
from synth.preprocess.axes import axis_of
from synth.project import released
from synth.release.csv_text import labelled
from synth.schema import Column, Kind, Outside

COLUMNS = [
    Column(name="age", kind=Kind.INTEGER, min=0, max=99, bins=7),
    Column(name="small", kind=Kind.INTEGER, min=1, max=4),
    Column(name="pay", kind=Kind.DECIMAL, min=-5.0, max=250_000.0, bins=9),
    Column(name="day", kind=Kind.DATE, min="2019-12-30", max="2021-02-03", bins=6),
    Column(name="ward", kind=Kind.CATEGORY, values=(0, 1, 2)),
    Column(name="job", kind=Kind.CATEGORY, values=("x", "y"), outside=Outside.OTHER),
    Column(name="level", kind=Kind.ORDERED, values=("low", "high")),
    Column(name="flag", kind=Kind.CATEGORY, values=(True, False)),
    Column(name="gain", kind=Kind.DECIMAL, min=0, max=100_000, bins=8, points=(0, 99_999)),
]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda c: c.name)
def test_labels_are_all_different_and_say_blank_last(column: Column) -> None:
    labels = released.labels_of(axis_of(column), None)
    assert len(set(labels)) == len(labels)
    assert labels[-1] == "(blank)"


def test_labels_of_ranges_name_whole_numbers_and_days() -> None:
    assert released.labels_of(axis_of(COLUMNS[1]), None)[:4] == ("1", "2", "3", "4")
    assert " to " in released.labels_of(axis_of(COLUMNS[0]), None)[0]
    assert dt.date.fromisoformat(released.labels_of(axis_of(COLUMNS[3]), None)[0]) == dt.date(2019, 12, 30)


def test_merged_codes_are_named_together() -> None:
    axis = Axis(column=COLUMNS[5], labels=("x", "y"), other="Other")
    grouping = Grouping(column="job", group_of=(0, 1, 1, 2), weights=(1, 1, 1, 1))
    assert released.labels_of(axis, grouping) == ("x", "y ... Other", "(blank)")


def test_a_folder_that_is_no_bundle_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="cannot be read"):
        released.read(tmp_path)


def test_the_first_rows_show_bands_and_labels_as_the_csv_has_them() -> None:
    age = Column(
        name="age", kind=Kind.INTEGER, min=0, max=99, cuts=(18,), labels=("child", "adult"), write_labels=True
    )
    warm = Column(name="t", kind=Kind.DECIMAL, min=34.0, max=42.0, decimals=1)
    frame = pd.DataFrame({"age": pd.array([7, 18, None], dtype="Int64"), "t": [37.0, 36.5, None]})
    shown = labelled(frame, [axis_of(age), axis_of(warm)])
    assert shown["age"].tolist() == ["child", "adult", None] and shown["t"][0] == 37.0
