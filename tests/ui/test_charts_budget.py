"""The bar of a budget."""

from __future__ import annotations

import pytest

from synth.project.allocation import PARTS
from synth.ui.charts_budget import LOOKS, shares
from synth.ui.text.budget import PART_NAME


def test_every_part_is_told_apart_by_more_than_colour() -> None:
    assert set(LOOKS) == set(PARTS) == set(PART_NAME)
    together = [part for part in PARTS if part != "method"]  # the method as a whole stands for its parts
    assert len({LOOKS[part] for part in together}) == len(together)
    assert len({LOOKS[part][0] for part in together}) == len(together)


def test_the_bar_shows_the_shares_in_words_and_width() -> None:
    figure = shares({"columns": 0.05, "relations": 0.7, "later": 0.25}, PART_NAME)
    assert [bar.x[0] for bar in figure.data] == pytest.approx([5, 70, 25])
    assert [bar.name for bar in figure.data] == [
        "Every column by itself 5 %",
        "Columns together 70 %",
        "Kept for later 25 %",
    ]
    assert figure.data[0].text[0] == "" and "70 %" in figure.data[1].text[0]
    assert tuple(figure.layout.xaxis.range) == (0, 100)
