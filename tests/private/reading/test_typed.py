"""Test typed values as strings: every bit pattern becomes a string or a blank, and no value affects
another.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.discretisation import resolve_axes
from synth.core.errors import Code
from synth.core.schema import Column, Kind, Schema, Unit
from synth.private.reading.typed import is_readable, texts_of
from synth.private.table import open_table
from synth.rules import parse_rules
from tests.refusals import refused

FAR = 2**63 - 1
MOMENTS = [pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")] + [pa.timestamp("us", tz="Europe/Berlin")]
WIDE = [*MOMENTS, pa.date64(), pa.time64("us"), pa.time64("ns"), pa.duration("us"), pa.uint64(), pa.float64()]
NARROW = [pa.date32(), pa.time32("s"), pa.time32("ms"), pa.float32()]
NO_TEXT = [pa.list_(pa.int8()), pa.struct([("a", pa.int8())]), pa.map_(pa.int8(), pa.int8())]


def bits(values: list[int | None], column: pa.DataType) -> pa.Array:
    """Return the values of the type that have these bits."""
    return pa.array(values, pa.int64() if column in WIDE else pa.int32()).view(column)


@settings(max_examples=80, deadline=None)
@given(data=st.data(), column=st.sampled_from([*WIDE, *NARROW]))
def test_whatever_the_bits_say_each_value_is_written_for_itself(data: Any, column: pa.DataType) -> None:
    most = FAR if column in WIDE else 2**31 - 1
    values = data.draw(st.lists(st.none() | st.integers(-most - 1, most), min_size=1, max_size=5))
    together = texts_of(bits(values, column), ".").to_pylist()
    assert together == [texts_of(bits([value], column), ".").to_pylist()[0] for value in values]
    assert all(text == "" for text, value in zip(together, values, strict=True) if value is None)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (bits([0, FAR, -FAR, 1_999_999], MOMENTS[2]), ["1970-01-01 00:00:00", "", "", "1970-01-01 00:00:01"]),
        (bits([-1, FAR], pa.timestamp("s")), ["1969-12-31 23:59:59", ""]),
        (bits([2_932_896, 2_932_897, -719_162, -719_163], pa.date32()), ["9999-12-31", "", "0001-01-01", ""]),
        (bits([86_399, 86_400, -1], pa.time32("s")), ["23:59:59", "", ""]),
        (pa.array([1.0, 0.5, float("inf"), float("nan"), 1e300]), ["1.0", "0.5", "inf", "nan", "1e+300"]),
        (pa.array([2**64 - 1, 0], pa.uint64()), [str(2**64 - 1), "0"]),
        (pa.array(["150", None]).cast(pa.decimal128(5, 2)), ["150.00", ""]),
        (pa.array([b"\xff", b"a", None]), ["\xff", "a", ""]),
        (pa.array(["\u00e9", None]).dictionary_encode(), ["\xc3\xa9", ""]),
        (pa.array([True, None]), ["true", ""]),
        (pa.nulls(2), ["", ""]),
        (pa.array([b"0" * 16, None], pa.uuid()), ["0" * 16, ""]),
    ],
)  # fmt: skip
def test_a_value_is_written_as_a_csv_file_would_have_it(values: pa.Array, texts: list[str]) -> None:
    assert is_readable(values.type)
    assert texts_of(values, ".").to_pylist() == texts


def test_numbers_have_the_declared_sign_and_texts_keep_theirs() -> None:
    for values, texts in (
        (pa.array([1.5, 1e-7, None]), ["1,5", "1e-7", ""]),
        (pa.array(["1.50"]).cast(pa.decimal128(5, 2)), ["1,50"]),
        (pa.array(["1.5", "1.234,5"]), ["1.5", "1.234,5"]),
    ):
        assert texts_of(values, ",").to_pylist() == texts


COLUMN = Column(name="x", kind=Kind.DATE, min="1970-01-01", max="1970-01-10", step=1)
BAD = {
    "a timestamp": (bits([0, 86_400_000_000], pa.timestamp("us")), bits([FAR], pa.timestamp("us"))),
    "a timestamp of before": (bits([0, 86_400], pa.timestamp("s")), bits([-9 * 10**15], pa.timestamp("s"))),
    "a moment with a zone": (bits([0, 86_400_000_000], MOMENTS[-1]), bits([-FAR], MOMENTS[-1])),
    "a date": (bits([0, 1], pa.date32()), bits([2**31 - 1], pa.date32())),
    "a time of day": (bits([0, 1], pa.time32("s")), bits([-5], pa.time32("s"))),
    "a text": (pa.array([b"1970-01-01", b"1970-01-02"]), pa.array([b"\xff\x00"])),
}


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("kind", BAD)
def test_one_bad_value_is_a_blank_and_no_reason_to_stop(tmp_path: Path, kind: str, old: bool) -> None:
    good, bad = BAD[kind]
    schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=(COLUMN,))
    axes = resolve_axes(schema, parse_rules([], schema))

    def counts(values: pa.Array) -> Counter[int]:
        pq.write_table(pa.table({"x": values}), tmp_path / "t.parquet", use_deprecated_int96_timestamps=old)
        return Counter(open_table(tmp_path / "t.parquet", schema).codes(axes).columns[0].tolist())

    before, after = counts(good), counts(pa.concat_arrays([good, bad, good]))
    assert after == before + before + Counter({axes[0].missing_code: 1})


@pytest.mark.parametrize("column", NO_TEXT)
@pytest.mark.parametrize("values", [[], [None], [None, None]])
def test_types_without_texts_are_refused(tmp_path: Path, column: pa.DataType, values: list[None]) -> None:
    pq.write_table(
        pa.table({"x": pa.array(values, column), "y": np.arange(len(values))}), tmp_path / "t.parquet"
    )
    for name, is_refused in (("x", True), ("y", False)):
        chosen = Column(name=name, kind=Kind.CATEGORY, buy=True)
        schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=(chosen,))
        if is_refused:
            with refused(Code.COLUMN_TYPE):
                open_table(tmp_path / "t.parquet", schema)
        else:
            assert sum(open_table(tmp_path / "t.parquet", schema).value_counts(name).values()) == len(values)
