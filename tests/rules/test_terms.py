"""Ends of ranges are exact for every kind, and names are quoted so that they can be read back."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.core.schema import Kind, in_units
from synth.rules.terms import Condition, Range, quoted

numbers = st.one_of(st.integers(-5, 5), st.floats(-5, 5))


@given(numbers, numbers, st.booleans(), st.booleans(), st.one_of(numbers, st.just(0.0)))
def test_a_span_holds_exactly_the_values_of_the_range(low, high, low_in, high_in, value):
    made = Range(low, high, low_in, high_in)
    above = value >= low if low_in else value > low
    below = value <= high if high_in else value < high
    start, stop = made.span(Kind.DECIMAL)
    assert (start <= value < stop) == (above and below)
    whole = round(value)
    start, stop = made.span(Kind.INTEGER)
    assert (start <= whole < stop) == (
        (whole >= low if low_in else whole > low) and (whole <= high if high_in else whole < high)
    )


def test_the_end_points_themselves():
    assert Range(0, 14).span(Kind.INTEGER) == (0, 15)
    assert Range(None, 14, high_included=False).span(Kind.INTEGER) == (-math.inf, 14)
    assert Range(0, 14.5).span(Kind.DECIMAL) == (0, math.nextafter(14.5, math.inf))
    assert Range(14.5, None, low_included=False).span(Kind.DECIMAL) == (
        math.nextafter(14.5, math.inf),
        math.inf,
    )
    assert Range("1970-01-02", "1970-01-02").span(Kind.DATE) == (1, 2)
    assert in_units("1969-12-31") == -1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("never-married", "never-married"),
        ("hours per week", "hours per week"),
        ("not so", "'not so'"),
        ("A, B", "'A, B'"),
        ("it's", '"it\'s"'),
        ("<=50K", "'<=50K'"),
        (True, "true"),
        (3, "3"),
    ],
)
def test_quotes_stand_where_they_are_needed(value, text):
    assert quoted(value) == text


def test_the_opposite_of_a_condition_never_flips_what_blank_means():
    plain = Condition("a", values=("x",))
    assert plain.opposite() == Condition("a", values=("x",), negated=True)
    assert plain.opposite().opposite() == plain
