"""Test the common behaviour of all laws."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.accounting.law import Law
from synth.core.accounting.limit import LINE_LAWS


@settings(max_examples=30, deadline=None)
@given(
    epsilon=st.floats(0.05, 20), delta=st.sampled_from([1e-12, 1e-9, 1e-7]), law=st.sampled_from(LINE_LAWS)
)
def test_a_laws_claim_is_the_promise_of_its_units(epsilon: float, delta: float, law: Law) -> None:
    claimed = law.claim(law.units_of(epsilon, delta), delta)
    assert claimed <= epsilon * (1 + 1e-12) and claimed == pytest.approx(epsilon, rel=1e-4)
