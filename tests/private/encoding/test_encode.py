"""Test the code of strings on an axis, case by case."""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.axis import Axis
from synth.core.schema import Column, DateOrder, FileFormat, Kind, Outside, day_number
from synth.private.encoding.encode import dates_in, encode, numbers_in
from synth.private.reading.lines import wire

MISSING = FileFormat().missing
NUMBER = Column(name="n", kind=Kind.DECIMAL)
COMMA = FileFormat(decimal_sign=",")


def code(text: str, axis: Axis, missing: tuple[str, ...] = MISSING, **form: Any) -> int:
    declared = FileFormat(missing=missing, **form)
    return int(encode(pa.array([wire(text)], pa.large_string()), axis, declared)[0])


def labels(*values: object, other: bool = False) -> Axis:
    rule = Outside.OTHER if other else None
    column = Column(name="c", kind=Kind.CATEGORY, values=values, outside=rule)  # type: ignore[arg-type]
    return Axis(column=column, labels=column.values, other="Other" if other else None)


def lacking(axis: Axis, *missing: str) -> Axis:
    """Return the axis with these missing tokens for its column."""
    return replace(axis, column=replace(axis.column, missing=missing))


def ranged(kind: Kind, *edges: float, rule: Outside | None = None) -> Axis:
    column = Column(name="c", kind=kind, outside=rule)
    return Axis(column=column, edges=edges, other="Other" if rule is Outside.OTHER else None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0", 0), ("0.0", 0), ("-0", 0), ("0e5", 0), (" 2 ", 2), ("+1", 1), ("1.5", 3), ("", 3), ("x", 3)],
)
def test_numbers_declared_as_values_match_by_value(text: str, expected: int) -> None:
    assert code(text, labels(0, 1, 2)) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("true", 1), ("TRUE", 1), ("False", 0), ("1", 1), ("t", 1), ("", 2), ("2", 2)]
)
def test_truth_values_match_in_any_case(text: str, expected: int) -> None:
    assert code(text, labels(False, True)) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("a", 0), ("NA", 1), ("?", 3), ("é", 2), ("b", 3), ("nan", 3)]
)
def test_texts_match_as_written_and_declared_values_win_over_missing_tokens(text: str, expected: int) -> None:
    assert code(text, labels("a", "NA", "é")) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("I21", 1), ("I2", 1), ("I10", 0), ("I", 2), ("I219", 2), ("J", -1), ("*", -1)]
)
def test_the_longest_matching_prefix_of_a_code_counts(text: str, expected: int) -> None:
    """Test overlapping texts: `I*`, `I2*` and `I219`. The declared value `I` always means itself."""
    reads = (("I*",), ("I2*",), ("I219",))
    column = Column(name="ill", kind=Kind.CATEGORY, values=("A", "B", "I"), reads=reads)
    axis = Axis(column=column, labels=column.values)
    if expected < 0:
        expected = code("no code at all", axis)
    assert code(text, axis) == expected


def test_text_written_in_latin_1_matches_its_declared_value() -> None:
    axis = labels("é")
    assert encode(
        pa.array(["\xe9", wire("é"), "\xe8"], pa.large_string()), axis, FileFormat(missing=())
    ).tolist() == [0, 0, 1]


def test_value_as_text_beats_value_as_number() -> None:
    assert code("1.0", labels(1, "1.0")) == 1
    assert code("1.00", labels(1, "1.0")) == 0


BEYOND = [("1e400", "above"), ("inf", "above"), ("-Infinity", "below"), ("10", "above"), ("-0.1", "below")]


@pytest.mark.parametrize(("text", "side"), BEYOND)
def test_values_beyond_the_range_follow_the_rule(text: str, side: str) -> None:
    edges = (0.0, 5.0, 10.0)
    clamp, missing = ranged(Kind.INTEGER, *edges), ranged(Kind.INTEGER, *edges, rule=Outside.MISSING)
    other = ranged(Kind.INTEGER, *edges, rule=Outside.OTHER)
    assert code(text, clamp) == (1 if side == "above" else 0)
    assert code(text, missing) == 2
    assert code(text, other) == 2
    assert other.missing_code == 3


def test_only_decimals_own_their_right_edge() -> None:
    assert code("10", ranged(Kind.DECIMAL, 0.0, 5.0, 10.0, rule=Outside.MISSING)) == 1
    assert code("10", ranged(Kind.INTEGER, 0.0, 5.0, 10.0, rule=Outside.MISSING)) == 2
    assert code("5", ranged(Kind.DECIMAL, 0.0, 5.0, 10.0)) == 1


def test_missing_number_is_recognised_by_value() -> None:
    axis = ranged(Kind.INTEGER, 0.0, 100.0)
    assert [code(t, axis, ("-9",)) for t in ("-9", "-9.0", "-8", "")] == [1, 1, 0, 1]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("1970-01-02", 1.0),
        ("1970-01-02T10:00", 1.0),
        ("1970-01-02 23:59:59.9", 1.0),
        ("1969-12-31", -1.0),
        ("2020-02-30", np.nan),
        ("0000-01-01", np.nan),
        ("1970-1-2", 1.0),
        ("19700102", 1.0),
        ("1970-01-02x", np.nan),
    ],
)
def test_dates(text: str, day: float) -> None:
    np.testing.assert_array_equal(dates_in(pa.array([text], pa.large_string()), FileFormat()), [day])


@pytest.mark.parametrize(
    ("text", "expected"),
    [("12,5", 12.5), (",5", 0.5), ("-3", -3.0), ("1,2e1", 12.0), ("12.5", np.nan), ("1.234,5", np.nan)],
)
def test_numbers_with_a_decimal_comma_and_no_others(text: str, expected: float) -> None:
    np.testing.assert_array_equal(numbers_in(pa.array([text], pa.large_string()), NUMBER, COMMA), [expected])


@pytest.mark.parametrize(
    ("text", "order", "day"),
    [
        ("31.12.1969", DateOrder.DAY_FIRST, -1.0),
        ("2/1/1970", DateOrder.DAY_FIRST, 1.0),
        ("02-01-1970 10:00", DateOrder.DAY_FIRST, 1.0),
        ("1/2/1970", DateOrder.MONTH_FIRST, 1.0),
        ("31.12.1969", DateOrder.MONTH_FIRST, np.nan),
        ("1970-01-02", DateOrder.DAY_FIRST, 1.0),
        ("2.1/1970", DateOrder.DAY_FIRST, np.nan),
        ("2.1.70", DateOrder.DAY_FIRST, 1.0),
        ("31.12.1969", DateOrder.YEAR_FIRST, np.nan),
    ],
)
def test_dates_in_the_declared_order_and_in_no_other(text: str, order: DateOrder, day: float) -> None:
    np.testing.assert_array_equal(
        dates_in(pa.array([text], pa.large_string()), FileFormat(date_order=order)), [day]
    )


def test_a_column_may_have_a_form_of_its_own_and_its_cells_no_other_meaning() -> None:
    texts = pa.array(["1.234,5", "1,234.5", "1.234", "1,234", "999,0"], pa.large_string())
    german, english = {"decimal_sign": ",", "thousands": "."}, {"decimal_sign": ".", "thousands": ","}
    for own, of_file in (({}, german), (german, {}), (german, english)):
        column = Column(name="x", kind=Kind.DECIMAL, min=0, max=2000, missing=("999",), **own)
        axis, form = Axis(column=column, edges=(0, 2, 2000)), FileFormat(**of_file)
        assert encode(texts, axis, form).tolist() == [1, 2, 1, 0, 2]
    days = pa.array(["03.04.1999", "1999-04-03"], pa.large_string())
    edges = (*map(day_number, ("1999-01-01", "1999-03-15", "1999-12-31")),)
    for order, code in ((DateOrder.DAY_FIRST, 1), (DateOrder.MONTH_FIRST, 0)):
        column = Column(name="d", kind=Kind.DATE, date_order=order)
        for form in (FileFormat(), FileFormat(date_order=DateOrder.DAY_FIRST)):
            assert encode(days, Axis(column=column, edges=edges), form).tolist() == [code, 1]


def test_codes_follow_the_declared_form() -> None:
    comma: dict[str, Any] = {"decimal_sign": ","}
    height = ranged(Kind.DECIMAL, 0.0, 1.0, 2.0)
    assert [code(t, height, **comma) for t in ("0,5", "1,5", "1.5", "x")] == [0, 1, 2, 2]
    assert [code(t, height, ("-9,5",), **comma) for t in ("-9,5", "-9,50")] == [2, 2]
    assert [code(t, labels(0.5, 1), **comma) for t in ("0,5", "0,50", "1,0", "0.5")] == [0, 0, 1, 2]
    born = ranged(Kind.DATE, 0.0, 31.0, 59.0)
    declared: dict[str, Any] = {"date_order": DateOrder.DAY_FIRST}
    assert [code(t, born, **declared) for t in ("02.01.1970", "01.02.1970", "x")] == [0, 1, 2]


@settings(max_examples=200, deadline=None)
@given(
    st.text() | st.text(alphabet="0123456789.,'-/()%$ \u00a0\u2212eEURaprilJANtrue\u0301", max_size=24),
    st.booleans(),
)
def test_every_text_has_a_code_on_every_axis(text: str, is_german: bool) -> None:
    german: dict[str, Any] = {"decimal_sign": ",", "thousands": ".", "date_order": DateOrder.DAY_FIRST}
    for axis in (
        labels("a", 1, True, other=True),
        labels(),
        ranged(Kind.DATE, 0.0, 10.0, rule=Outside.OTHER),
        ranged(Kind.DECIMAL, 0.0, 1.0),
        ranged(Kind.INTEGER, 0.0, 1.0, rule=Outside.MISSING),
    ):
        assert 0 <= code(text, axis, **(german if is_german else {})) < axis.size


FINER = {
    **{"M": 0, "M12": 0, "N": 1, "N1": 1, "N17": 0, "NX": 1, "77": 1},
    **{"NA": 2, "?": 2, "": 2, "9": 3, "m1": 3},
}
"""A text, and which code it has: beginnings, a longer one, an exact text, blanks, and strangers as 3."""


@pytest.mark.parametrize(("text", "expected"), FINER.items())
@pytest.mark.parametrize("other", [False, True])
def test_a_finer_code_is_read_as_declared_or_as_outside(text: str, expected: int, other: bool) -> None:
    reads = (("M*", "N17*"), ("N*", "77"))
    rule = Outside.OTHER if other else None
    column = Column(name="c", kind=Kind.CATEGORY, values=("M", "N"), reads=reads, outside=rule)
    axis = Axis(column=column, labels=column.values, other="Other" if other else None)
    outside = axis.missing_code if axis.other_code is None else axis.other_code
    assert code(text, axis) == {2: axis.missing_code, 3: outside}.get(expected, expected)


def test_a_beginning_of_nothing_holds_for_all_but_blanks() -> None:
    column = Column(name="c", kind=Kind.CATEGORY, values=("a", "rest"), reads=((), ("*",)))
    axis = Axis(column=column, labels=column.values)
    assert [code(text, axis) for text in ("a", "b", "", "NA")] == [0, 1, axis.missing_code, axis.missing_code]


@given(
    st.from_regex(r"[+-]?[0-9]{0,24}([.,][0-9]{0,24})?([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.sampled_from([".", ","]),
)
def test_a_number_is_the_float_that_python_reads(text: str, sign: str) -> None:
    """Short and long, by whichever way it is read."""
    try:
        expected = float(text.replace(sign, ".")) if "." not in text.replace(sign, "") else float("nan")
        expected = expected if "," not in text.replace(sign, "") else float("nan")
    except ValueError:
        expected = float("nan")
    found = numbers_in(
        pa.array(["1", text, "x", text], pa.large_string()), NUMBER, FileFormat(decimal_sign=sign)
    )
    np.testing.assert_array_equal(found, [1, expected, np.nan, expected])
    np.testing.assert_array_equal(np.signbit(found[1:]), np.signbit([expected, np.nan, expected]))


TRUTH, TOWNS = labels(False, True), labels("José", "O'Neil", "20-29", other=True)
SUMS, BORN = ranged(Kind.INTEGER, 0.0, 10.0, 1e4, rule=Outside.MISSING), ranged(Kind.DATE, 0.0, 31.0, 1e4)


@pytest.mark.parametrize(
    ("axis", "form", "codes"),
    [
        (TRUTH, {}, {"Yes": 1, "SÍ": 1, "да": 1, "t": 1, "1.0": 1, "nein": 0, "N": 0, "maybe": 2, "NA": 2}),
        (TRUTH, {"missing": ("n",)}, {"n": 2, "N": 2, "no": 0}),
        (labels("true", "false", "f"), {}, {"TRUE": 0, "ja": 0, "f": 2, "no": 1}),
        (labels(True, False, 1), {}, {"1": 2, "1.0": 2, "yes": 0}),
        (labels("yes", "no"), {}, {"yes": 0, "Yes": 0, "NO": 1, "y": 2, "1": 2}),
        (labels("a", "A", "B", other=True), {}, {"a": 0, "A": 1, "b": 2, "n/a": 4, "c": 3}),
        (labels("A b", "a B", other=True), {}, {"A b": 0, "a b": 2, "A B": 2}),
        (labels("Na", "Straße", "École", other=True), {}, {"na": 3, "STRASSE": 1, "ÉCOLE": 2, "ecole": 3}),
        (labels(True, False, "Y", "y"), {}, {"Y": 2, "y": 3, "YES": 0}),
        (labels(True, "Ja", "JA"), {}, {"Ja": 1, "ja": 3, "yes": 0}),
        (TOWNS, {}, {"Jose\u0301": 0, "\u00a0José ": 0, "O\u2019Neil": 1, "20\u201329": 2, "Jose": 3}),
        (TOWNS, {"missing": ("\u2014",)}, {"-": 4, "\u2014": 4, "\u00a0": 4}),
        (labels(1200, 5), {"thousands": ","}, {"1,200": 0, "$5": 1, "1200.0": 0, "(5)": 2}),
        (SUMS, {"thousands": ","}, {"1,200": 1, "$ 7.50": 0, "(7)": 2, "9 999": 1, "12 MIO": 2}),
        (SUMS, {"missing": ("999",)}, {"999": 2, "$999": 2, "998": 1}),
        (SUMS, {"decimal_sign": ",", "thousands": "."}, {"1.200,5": 1, "1,2": 0, "1.2": 2}),
        (lacking(SUMS, "999", "none"), {}, {"999": 2, "$999.0": 2, "None": 2, "none": 2, "998": 1, "NA": 2}),
        (lacking(SUMS, "-9.5"), {"decimal_sign": ","}, {"-9,5": 2, "-9,50": 2}),
        (lacking(labels(1, 2, other=True), "9"), {}, {"9": 3, "9.0": 3, "8": 2, "1.0": 0}),
        (lacking(TOWNS, "not asked"), {}, {"not  asked": 4, "asked": 3}),
        (lacking(BORN, "1970-01-03"), {}, {"1970-01-03 10:00": 2, "3 Jan 1970": 2, "1970-01-04": 0}),
        (BORN, {"date_order": DateOrder.DAY_FIRST}, {"2/1/70": 0, "2 Feb 1970 10:00": 1, "1970-02-02Z": 1}),
    ],
)
def test_a_cell_is_read_as_people_write_it(axis: Axis, form: dict[str, Any], codes: dict[str, int]) -> None:
    assert {text: code(text, axis, **form) for text in codes} == codes
