"""What a foreign format leaves open: refused, bought, or left to a person."""

from __future__ import annotations

import pytest

from synth.core.errors import Mistake
from synth.core.schema import Column, Kind, Provenance
from synth.dictionaries.reading import ForeignTable, Reading

WHOLE = Reading(column=Column(name="a", kind=Kind.CATEGORY, values=("x",)))
OPEN = Reading(
    column=Column(name="b", kind=Kind.INTEGER, min=0, provenance=Provenance.PUBLIC_DOCUMENT),
    lacking="B lacks an end.",
)
ODD = Reading(column=Column(name="c", kind=Kind.CATEGORY), lacking="C has no kind.", known=False)


def table(*readings: Reading) -> ForeignTable:
    return ForeignTable(name="t", readings=readings, advice="Do something.")


def test_a_strict_reading_lists_all_that_lacks_and_then_the_advice():
    with pytest.raises(Mistake) as caught:
        table(WHOLE, OPEN, ODD).columns(buy_missing=False)
    assert str(caught.value).splitlines() == ["B lacks an end.", "C has no kind.", "Do something."]


def test_only_a_domain_can_be_bought_and_then_whole():
    bought = table(WHOLE, OPEN).columns(buy_missing=True)[1]
    assert (bought.buy, bought.min, bought.provenance) == (True, None, Provenance.BOUGHT)
    with pytest.raises(Mistake, match="C has no kind"):
        table(ODD).columns(buy_missing=True)


def test_a_draft_keeps_what_was_said():
    document, lacking = table(WHOLE, OPEN, ODD).draft()
    assert lacking == ("B lacks an end.", "C has no kind.")
    assert document["columns"] == [
        {"name": "a", "kind": "category", "values": ["x"], "provenance": "steward knowledge"},
        {"name": "b", "kind": "integer", "min": 0, "provenance": "steward knowledge"},
        {"name": "c", "kind": None, "provenance": "steward knowledge"},
    ]
