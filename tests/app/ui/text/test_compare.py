from __future__ import annotations

from synth.app.ui.text import compare as text


def test_the_four_kinds_are_told_and_one_is_this_page() -> None:
    lines = text.KINDS.split("\n")
    assert [line[:2] for line in lines] == ["1.", "2.", "3.", "4."]
    assert [line for line in lines if "This page" in line] == [lines[1]]
    assert "records" in lines[3]
