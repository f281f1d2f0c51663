"""Odds and bars of a budget say what they show, and no two parts look alike."""

from __future__ import annotations

import pytest

from synth.app.figures.budget import before_after, shares
from synth.app.ui.text.budget import PART_NAME


def test_the_bar_shows_the_shares_in_words_and_width() -> None:
    figure = shares({"columns": 0.05, "relations": 0.7, "later": 0.25}, PART_NAME).marks
    assert [bar.x[0] for bar in figure.data] == pytest.approx([5, 70, 25])
    assert [bar.name for bar in figure.data] == [
        "Single columns 5.0 %",
        "Relations between columns 70 %",
        "Kept for later 25 %",
    ]
    assert figure.data[0].text[0] == "" and "70 %" in figure.data[1].text[0]
    assert tuple(figure.layout.xaxis.range) == (0, 100)


def test_the_table_of_the_two_bars_has_a_column_for_each() -> None:
    lines = {"before": {"spent": 0.25, "left": 0.75}, "after": {"spent": 0.25, "this run": 0.5, "left": 0.25}}
    figure = before_after(lines)
    assert figure.table.to_dict("list") == {
        "Part": ["spent", "this run", "left"],
        "before": ["25 %", "0 %", "75 %"],
        "after": ["25 %", "50 %", "25 %"],
    }
    assert figure.words == (
        "The lifetime budget in two bars. before: spent 25 %, left 75 %; after: spent 25 %, this run 50 %, "
        "left 25 %."
    )
