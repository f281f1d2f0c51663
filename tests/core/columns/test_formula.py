import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.core.codebook import Codebook
from synth.core.columns.formula import FUNCTIONS, computed, names_in
from synth.core.columns.published import published_axes
from synth.core.errors import Mistake
from synth.core.schema import Column, Kind, Schema, Unit

ROWS = {
    "a": np.array([1.0, 2.5, np.nan]),
    "b c": np.array([0.0, 4.0, 1.0]),
    "day": np.array([-1.0, 0.0, 365.0]),
}


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("a + 'b c'", [1.0, 6.5, np.nan]),
        ('(a - 2) * -"b c" / 2', [0.0, -1.0, np.nan]),
        ("a / 'b c'", [np.nan, 0.625, np.nan]),
        ("year(day) + 0 * max(1, abs('b c'))", [1969.0, 1970.0, 1971.0]),
        ("round(a / 3, 1) + floor(min(a, 9))", [1.3, 2.8, np.nan]),
        ("days(day) + 1", [0.0, 1.0, 366.0]),
        ("1e300 * 1e300 * a", None),
    ],
)
def test_values(formula: str, expected: list[float] | None) -> None:
    if expected is None:
        with pytest.raises(Mistake, match="too large"):
            names_in(formula)
    else:
        assert names_in(formula).keys() <= ROWS.keys()
        np.testing.assert_allclose(computed(formula, ROWS), expected)


@pytest.mark.parametrize(
    ("formula", "may_be_blank"),
    [
        ("a - year(day)", False), ("max(a, 2) + twice", False), ("a + b", True), ("a + part", True),
        ("a / 2", True), ("2 * a", True), ("round(a, 400)", True),
    ],
)  # fmt: skip
def test_a_result_is_called_blank_only_if_it_may_be(formula: str, may_be_blank: bool) -> None:
    """A sum of two columns that are never blank was documented as one that may be blank."""
    computed_by = {"twice": "a + a", "part": "1 / a", "x": formula}
    columns = [Column(name=name, kind=Kind.INTEGER, blank=name == "b") for name in "ab"]
    columns.append(Column(name="day", kind=Kind.DATE, blank=False))
    columns += [Column(name=name, kind=Kind.INTEGER, formula=text) for name, text in computed_by.items()]
    schema = Schema(name="t", population="p", unit=Unit(max_rows=1), columns=tuple(columns))
    assert published_axes(Codebook(schema=schema, axes=()))[-1].column.blank is may_be_blank


@pytest.mark.parametrize(
    "text",
    [
        "", "a +", "a.b", "__import__('os').system('true')", "a if b else c", "[a for a in b]", "lambda: a",
        "a ** 9", "a // 2", "a and b", "f'{a}'", "b'a'", "True", "1j", "a[0]", "max(*a)", "min(a, key=b)",
        "max(a)", "open('x')", "(a := 1)", "year(a + 1)", "year(a) + a", "1 + 2", "9" * 400, "a" * 501,
        "(" * 300 + "a" + ")" * 300, "-" * 450 + "a",
    ],
)  # fmt: skip
def test_everything_else_is_refused(text: str) -> None:
    with pytest.raises(Mistake):
        names_in(text)


_PARTS = [*"a+-*/(), .1'[]{}\0", "'b c'", "0x", "__class__", ":=", *FUNCTIONS]
_TEXTS = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(_PARTS), max_size=25).map("".join))


@given(_TEXTS)
def test_no_text_does_more_than_arithmetic(text: str) -> None:
    try:
        named = names_in(text)
    except Mistake:
        return
    values = computed(text, dict.fromkeys(named, np.array([1.0, np.nan])))
    assert values.shape in ((), (2,)) and not np.isinf(values).any()
