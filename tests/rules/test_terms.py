"""Test that ends of ranges are exact for every kind, and that quoted names can be parsed again."""

from hypothesis import given
from hypothesis import strategies as st

from synth.core.schema import Kind
from synth.rules.terms import Condition, Range

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


def test_the_opposite_of_a_condition_never_flips_what_blank_means():
    plain = Condition("a", values=("x",))
    assert plain.opposite() == Condition("a", values=("x",), negated=True)
    assert plain.opposite().opposite() == plain
