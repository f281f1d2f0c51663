"""Test that a value can be named by its text, or by its label if the label is unique."""

import pytest

from synth.core.schema import Column, Kind
from synth.rules.spelling import called, find_value, meanings

SEX = Column(name="sex", kind=Kind.CATEGORY, values=(0, 1, True), labels=("male", "female", "yes"))
ODD = Column(name="odd", kind=Kind.CATEGORY, values=("a", "b", "c"), labels=("b", "Same", "same"))


@pytest.mark.parametrize(
    ("typed", "meant"), [(1, 1), ("1", 1), ("Female", 1), ("TRUE", True), (True, True), ("nobody", None)]
)
def test_a_value_is_found_by_itself_its_text_or_its_label(typed: object, meant: object) -> None:
    found = find_value(typed, SEX)  # type: ignore[arg-type]
    assert found == meant and type(found) is type(meant)


def test_a_label_that_is_anothers_text_or_label_means_nothing() -> None:
    assert meanings(ODD) == {}
    assert find_value("b", ODD) == "b" and find_value("same", ODD) is None
    assert called("a", ODD) == "a" and called(1, SEX) == "female" and called(True, SEX) == "yes"
