"""Test that the well-known lists are valid declarations."""

import pytest

from synth.core.schema import Column, Kind, Schema, Unit
from synth.dictionaries import problems
from synth.dictionaries.lists import known_lists


@pytest.mark.parametrize("name", known_lists())
def test_a_list_can_be_declared_as_it_is(name: str) -> None:
    known = known_lists()[name]
    assert name == name.lower() and known.kind in (Kind.CATEGORY, Kind.ORDERED)
    column = Column(name="x", kind=known.kind, values=known.values, labels=known.labels, reads=known.reads)
    assert problems(Schema(name="t", population="p", unit=Unit(max_rows=1), columns=(column,))) == ()


def test_countries_and_chapters_are_whole() -> None:
    countries = known_lists()["countries"]
    assert len(countries.values) == 249 and all(len(code) == 2 for code in countries.values)
    begins = [text for own in known_lists()["icd-10 chapters"].reads for text in own]
    letters = {text[0] for text in begins}
    assert letters == set("ABCDEFGHIJKLMNOPQRSTUVWXYZ") and len(set(begins)) == len(begins)
