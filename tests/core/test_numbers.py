"""No number is written with an exponent, and none is another number than it was."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.core.numbers import about, exactly, number_of

NUMBERS = st.floats(min_value=1e-15, max_value=1e15)


@given(NUMBERS, st.integers(1, 6))
def test_a_rounded_number_is_near_and_has_no_exponent(number: float, digits: int) -> None:
    text = about(number, digits=digits)
    assert "e" not in text
    assert float(text.replace(",", "")) == pytest.approx(number, rel=0.501 * 10 ** (1 - digits))
    assert about(-number, digits=digits) == f"-{text}"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_that_was_typed_is_that_very_number(number: float) -> None:
    text = exactly(number)
    assert "e" not in text and float(text) == number


def test_what_is_no_number_is_said_as_it_is() -> None:
    assert (about(0.0), about(math.inf), exactly(math.inf), exactly(-3)) == ("0", "inf", "inf", "-3")


def test_one_of_something_is_not_several() -> None:
    assert [number_of(n, "column") for n in (0, 1, 2)] == ["0 columns", "1 column", "2 columns"]
