"""No number is written with an exponent, and every number keeps its value."""

import math

from synth.core.numbers import about, exactly, number_of


def test_what_is_no_number_is_said_as_it_is() -> None:
    assert (about(0.0), about(math.inf), exactly(math.inf), exactly(-3)) == ("0", "inf", "inf", "-3")


def test_one_of_something_is_not_several() -> None:
    assert [number_of(n, "column") for n in (0, 1, 2)] == ["0 columns", "1 column", "2 columns"]
