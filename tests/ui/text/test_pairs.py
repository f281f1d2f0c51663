"""The pairs in a sentence."""

from __future__ import annotations

from synth.ui.text import pairs as text


def test_one_pair_is_not_compared_with_itself() -> None:
    assert text.in_short([("a x b", 0.5)], 0) == "Surest: **a x b** (at most 50 %)."


def test_nothing_promised_is_said_alone() -> None:
    assert text.in_short([], 3) == "Nothing is promised about 3 pairs."
    assert text.in_short([], 0) == ""


def test_every_pair_is_counted_once_by_what_its_bound_rests_on() -> None:
    said = text.supports(measured=40, inferred=30, merged=2, unasked=1106)
    assert said.startswith("Of 1,178 pairs 40 were measured in all their values. For 30 a bound follows")
    assert "For 2 there is one only in the merged values" in said and "For 1,106 no answer" in said
    lost = text.supports(measured=1, inferred=0, merged=0, unasked=0, incomplete=2)
    assert lost.startswith("Of 3 pairs 1 was") and "For 2 it is not known" in lost
    assert (
        text.supports(measured=1, inferred=0, merged=0, unasked=0)
        == "Of 1 pair 1 was measured in all their values."
    )
