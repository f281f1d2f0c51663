"""The words say what may not be done with the numbers, and how many rows a release is worth."""

from __future__ import annotations

import pytest

from synth.ui.text import steward as text


def test_nobody_can_take_the_mark_for_a_permission() -> None:
    assert "Do not publish" in text.MARK
    assert "Not private" not in text.MARK  # reads as "anybody may see this"


@pytest.mark.parametrize(("share", "words"), [(0.0, "under 0.1 %"), (0.099, "9.9 %"), (1.0, "100 %")])
def test_a_distance_is_not_finer_than_it_deserves(share: float, words: str) -> None:
    assert text.percent(share) == words


def test_the_headline_names_every_size_that_was_asked() -> None:
    assert text.worth("Run 1", {1: 0.5, 2: 0.04}) == (
        "Run 1 is about as good for single columns as a random **50 % of the rows**, for pairs of columns "
        "as a random **4.0 % of the rows** of the real table."
    )


def test_every_picture_has_words_with_the_finding() -> None:
    assert "Age is furthest off, by 5.0 %" in text.columns_alt(3, "Age", 0.05)
    assert "Age with Ward" in text.pairs_alt(3, "Age", "Ward", 0.05)
    assert "Work: 90 % of the gain kept" in text.scores_alt([("Work", "90 % of the gain")])
    assert "2 runs" in text.map_alt(2)
    assert "Ward; they differ" in text.column_alt("Ward", 0.1)
