"""The pairs in a sentence."""

from __future__ import annotations

from synth.ui.text import results as text


def test_one_pair_is_not_compared_with_itself() -> None:
    assert text.in_short([("a x b", 0.5)], 0) == "Surest: **a x b** (at most 50 %)."


def test_nothing_promised_is_said_alone() -> None:
    assert text.in_short([], 3) == "Nothing is promised about 3 pairs."
    assert text.in_short([], 0) == ""
