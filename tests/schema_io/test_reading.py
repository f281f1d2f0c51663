"""What a foreign format leaves open: refused, bought, or left to a person."""

from __future__ import annotations

import pytest

from synth.errors import Mistake
from synth.schema import Column, Kind, Provenance
from synth.schema_io.reading import Reading, drafted, settled

WHOLE = Reading(column=Column(name="a", kind=Kind.CATEGORY, values=("x",)))
OPEN = Reading(
    column=Column(name="b", kind=Kind.INTEGER, min=0, provenance=Provenance.PUBLIC_DOCUMENT),
    lacking="B lacks an end.",
)
ODD = Reading(column=Column(name="c", kind=Kind.CATEGORY), lacking="C has no kind.", known=False)


def test_a_strict_reading_lists_all_that_lacks_and_then_the_advice():
    with pytest.raises(Mistake) as caught:
        settled([WHOLE, OPEN, ODD], buy_missing=False, advice="Do something.")
    assert str(caught.value).splitlines() == ["B lacks an end.", "C has no kind.", "Do something."]


def test_only_a_domain_can_be_bought_and_then_whole():
    bought = settled([WHOLE, OPEN], buy_missing=True, advice="")[1]
    assert (bought.buy, bought.min, bought.provenance) == (True, None, Provenance.BOUGHT)
    with pytest.raises(Mistake, match="C has no kind"):
        settled([ODD], buy_missing=True, advice="Do something.")


def test_a_draft_keeps_what_was_said():
    assert drafted([WHOLE, OPEN, ODD]) == [
        {"name": "a", "kind": "category", "values": ["x"], "provenance": "steward knowledge"},
        {"name": "b", "kind": "integer", "min": 0, "provenance": "steward knowledge"},
        {"name": "c", "kind": None, "provenance": "steward knowledge"},
    ]
