"""Odds and bars of a budget say what they show, and no two parts look alike."""

from __future__ import annotations

import pytest

from synth.app.figures.budget import shares
from synth.app.ui.text.budget import PART_NAME


def test_the_bar_shows_the_shares_in_words_and_width() -> None:
    figure = shares({"columns": 0.05, "relations": 0.7, "later": 0.25}, PART_NAME).marks
    assert [bar.x[0] for bar in figure.data] == pytest.approx([5, 70, 25])
    assert [bar.name for bar in figure.data] == [
        "Single columns 5.0%",
        "Relations between columns 70%",
        "Kept for later 25%",
    ]
    assert figure.data[0].text[0] == "" and "70%" in figure.data[1].text[0]
    assert tuple(figure.layout.xaxis.range) == (0, 100)
