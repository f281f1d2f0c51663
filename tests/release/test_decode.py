"""What comes out means what went in: the contract between decode and the private encoder."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from synth.core.axis import Axis
from synth.core.discretisation import axis_of, decimals_of
from synth.core.schema import Binning, Column, Kind, Outside, Schema, Unit
from synth.private.table import PrivateTable
from synth.release.decode import decode

COLUMNS = [
    Column(name="age", kind=Kind.INTEGER, min=17, max=90),
    Column(name="binned", kind=Kind.INTEGER, min=-50, max=99, bins=7),
    Column(name="big", kind=Kind.INTEGER, min=0, max=10**12, bins=9),
    Column(name="other", kind=Kind.INTEGER, min=0, max=9, outside=Outside.OTHER),
    Column(name="income", kind=Kind.DECIMAL, min=0, max=250000, bins=32),
    Column(name="thirds", kind=Kind.DECIMAL, min=0, max=1, bins=3),
    Column(name="tiny", kind=Kind.DECIMAL, min=-1e-7, max=1e-7, bins=11),
    Column(name="huge", kind=Kind.DECIMAL, min=-1e15, max=1e15 + 3, bins=50),
    Column(name="narrow", kind=Kind.DECIMAL, min=1e15, max=1e15 + 1, bins=4),
    Column(name="step", kind=Kind.DECIMAL, min=0.1, max=0.7, step=0.1, outside=Outside.MISSING),
    Column(name="tree", kind=Kind.DECIMAL, min=0, max=3, binning=Binning.PRIVTREE),
    Column(name="tens", kind=Kind.INTEGER, min=1, max=100, multiple=10),
    Column(name="quarters", kind=Kind.DECIMAL, min=0, max=3, multiple=0.25, bins=5),
    Column(name="tenths", kind=Kind.DECIMAL, min=0.1, max=0.3, multiple=0.1),
    Column(name="joined", kind=Kind.DATE, min="1965-01-01", max="2020-12-31"),
    Column(name="left", kind=Kind.DATE, min="2020-01-01", max="2020-01-05", outside=Outside.OTHER),
    Column(name="school", kind=Kind.ORDERED, values=("none", "primary", 'é, "x"\'')),
    Column(name="ward", kind=Kind.CATEGORY, values=(0, 1, 2)),
    Column(name="half", kind=Kind.CATEGORY, values=(0, 0.5), outside=Outside.OTHER),
    Column(name="flag", kind=Kind.CATEGORY, values=(True, False)),
    Column(name="mixed", kind=Kind.CATEGORY, values=("NA", 7, "?", 1.5, True)),
    Column(name="nothing", kind=Kind.CATEGORY, outside=Outside.OTHER),
]
AXES = [axis_of(c, (0.5, 20.0)) for c in COLUMNS]
SCHEMA = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=tuple(COLUMNS))


def every_code(axes: list[Axis], repeat: int) -> np.ndarray:
    rows = repeat * max(a.size for a in axes)
    return np.column_stack([np.arange(rows) % a.size for a in axes])


def texts(frame: pd.DataFrame) -> dict[str, list[str | None]]:
    return {str(n): [None if pd.isna(v) else str(v) for v in frame[n]] for n in frame.columns}


def test_every_code_survives_decode_and_encode() -> None:
    codes = every_code(AXES, 40)
    frame = decode(codes, AXES, np.random.default_rng(1))
    again = PrivateTable.of(texts(frame), SCHEMA).codes(AXES)
    for axis, column, expected in zip(AXES, again.columns, codes.T, strict=True):
        np.testing.assert_array_equal(column, expected, err_msg=axis.name)


def test_numbers_are_multiples_also_beside_rules_and_points() -> None:
    tens = Column(name="n", kind=Kind.INTEGER, min=1, max=100, multiple=10, points=(30,))
    quarters = Column(name="x", kind=Kind.DECIMAL, min=0, max=3, multiple=0.25, bins=5)
    tenths = Column(name="t", kind=Kind.DECIMAL, min=0.1, max=0.3, multiple=0.1)
    axes = [axis_of(tens, (20.0, 45.0)), axis_of(quarters, (1.0,)), axis_of(tenths)]
    codes = np.column_stack([np.arange(600) % axis.cells for axis in axes])
    frame = decode(codes, axes, np.random.default_rng(1))
    assert set(frame["n"]) == set(range(10, 101, 10))
    assert set(frame["x"] * 4) == set(range(13)) and set(frame["t"]) == {0.1, 0.2, 0.3}


@settings(max_examples=100, deadline=None)
@example(low=827381.5254147779, span=3.867530503534834e-08, bins=33, cut=0.5, seed=0)
@given(
    low=st.floats(-1e6, 1e6),
    span=st.floats(1e-8, 1e6),
    bins=st.integers(1, 60),
    cut=st.floats(0, 1),
    seed=st.integers(0, 99),
)
def test_decimals_stay_in_their_cell(low: float, span: float, bins: int, cut: float, seed: int) -> None:
    assume(low < low + span)
    column = Column(name="x", kind=Kind.DECIMAL, min=low, max=low + span, bins=bins)
    axis = axis_of(column, (low + cut * span,))
    codes = every_code([axis], 3)
    frame = decode(codes, [axis], np.random.default_rng(seed))
    schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=(column,))
    again = PrivateTable.of(texts(frame), schema).codes([axis]).columns[0]
    np.testing.assert_array_equal(again, codes[:, 0])


def test_a_cell_is_filled_evenly() -> None:
    axis = axis_of(Column(name="x", kind=Kind.INTEGER, min=0, max=9, bins=2))
    draws = 20000
    frame = decode(np.ones((draws, 1), dtype=np.int64), [axis], np.random.default_rng(7))
    counts = frame["x"].value_counts()
    assert set(counts.index) == {5, 6, 7, 8, 9}
    assert np.all(np.abs(counts - draws / 5) < 6.5 * (draws * 0.16) ** 0.5)


@pytest.mark.parametrize(
    ("fields", "decimals"),
    [
        ({"min": 0, "max": 250000, "bins": 32}, 2),
        ({"min": 0, "max": 1, "step": 0.005}, 5),
        ({"min": 0.1234, "max": 10, "bins": 2}, 4),
        ({"min": 0, "max": 1e16, "bins": 2}, 0),
        ({"min": 34.0, "max": 42.0, "decimals": 1}, 1),
        ({"min": 0.0, "max": 1.5, "decimals": 1}, 2),  # a bin of 0.047 need not hold a tenth
        ({"min": 0.0, "max": 3.0, "step": 0.1, "decimals": 1}, 1),
        ({"min": 0.0, "max": 9.0, "decimals": 3, "points": (0.5,)}, 3),
    ],
)
def test_decimals_are_a_public_choice(fields: dict[str, float], decimals: int) -> None:
    axis = axis_of(Column(name="x", kind=Kind.DECIMAL, **fields))  # type: ignore[arg-type]
    assert decimals_of(axis) == decimals
