"""Synthetic values go back to the cells they were drawn from."""

import numpy as np
import pandas as pd
import pytest

from synth.core.axis import Grouping
from synth.core.discretisation import axis_of
from synth.core.schema import Column, Kind, Outside
from synth.release.codes import codes_of, table_codes
from synth.release.decode import decode
from synth.release.synthesis import Synthesis

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
def test_every_code_survives_decoding_and_coming_back(column: Column) -> None:
    axis = axis_of(column)
    codes = np.repeat(np.arange(axis.size, dtype=np.int64), 40)
    frame = decode(codes[:, None], [axis], np.random.default_rng(3))
    assert codes_of(frame[column.name], axis).tolist() == codes.tolist()


@pytest.mark.parametrize("size", [255, 256, 257])
def test_a_missing_value_of_a_column_that_has_none_is_no_code_of_it(size: int) -> None:
    axis = axis_of(Column(name="many", kind=Kind.CATEGORY, values=tuple(range(size)), blank=False))
    frame = pd.DataFrame({"many": pd.Series([3, None], dtype=object)})
    assert table_codes(frame, [axis], []).tolist() == [[3], [size]]


def test_a_grouping_makes_codes_coarser() -> None:
    axis = axis_of(COLUMNS[4])
    grouping = Grouping(column="ward", group_of=(0, 1, 1, 2), weights=(1.0,) * 4)
    frame = pd.DataFrame({"ward": pd.Series([0, 1, 2, None], dtype=object)})
    assert table_codes(frame, [axis], [grouping]).tolist() == [[0], [1], [1], [2]]


def test_the_codes_are_those_the_model_drew(synthesis: Synthesis, estimated: Synthesis) -> None:
    for made in (synthesis, estimated):
        assert np.array_equal(
            table_codes(made.table, made.evidence.codebook.axes, made.evidence.codebook.groupings), made.codes
        )
