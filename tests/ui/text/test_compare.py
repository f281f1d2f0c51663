from __future__ import annotations

import pytest

from synth.ui.text import compare as text


@pytest.mark.parametrize(("counts", "words"), [(9.96, "10.0"), (10.4, "10"), (12_345.0, "12,345")])
def test_an_error_is_not_finer_than_it_deserves(counts: float, words: str) -> None:
    assert text.off(counts, lost=False) == words


def test_the_four_kinds_are_told_and_one_is_this_page() -> None:
    lines = text.KINDS.split("\n")
    assert [line[:2] for line in lines] == ["1.", "2.", "3.", "4."]
    assert [line for line in lines if "This page" in line] == [lines[1]]
    assert "records" in lines[3]


def test_every_picture_has_words() -> None:
    assert "Ward" in text.column_alt("Ward", ["Run 1"])
    assert "Run 1, Run 2" in text.map_alt(["Run 1", "Run 2"])
    assert "3 runs" in text.standings_alt(3)
