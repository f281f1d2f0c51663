"""Bars and grids show what they say, and nothing by colour alone."""

from __future__ import annotations

import pytest

from synth.app.figures import ledger
from synth.app.figures.budget import shares
from synth.app.figures.rules import combinations
from synth.app.figures.words import count, distance
from synth.app.project.describe.rules import Picture
from synth.app.project.spend.ledger import BookedRun
from synth.app.ui.text.budget import PART_NAME


def test_the_bar_shows_the_shares_in_words_and_width() -> None:
    figure = shares({"columns": 0.05, "relations": 0.7, "later": 0.25}, PART_NAME).marks
    assert [bar.x[0] for bar in figure.data] == pytest.approx([5, 70, 25])
    names = ["Single columns 5.0%", "Relations between columns 70%", "Reserved for later 25%"]
    assert [bar.name for bar in figure.data] == names
    assert figure.data[0].text[0] == "" and "70%" in figure.data[1].text[0]
    assert tuple(figure.layout.xaxis.range) == (0, 100)


def test_the_list_says_how_many_of_all_it_shows() -> None:
    names = {"opened": "2026-11-22 07:00", "population": "town", "table": "t", "run": "r", "state": "open"}
    entry = BookedRun(**names, epsilon=1.23456, rho_spent=0.1, rho_reserved=0.2, share=0.05)
    figure = ledger.entries([entry], of=3)
    assert "1 of 3" in figure.words
    assert figure.table[["Epsilon", "Of the limit"]].values.tolist() == [["1.235", "5.0%"]]


def test_every_combination_has_the_sign_of_its_state() -> None:
    labels = {"labels_across": ("none", "a", "b"), "labels_down": ("0 to 14", "15 to 99")}
    removed = ((0.0, 1.0, 1.0), (0.0, 0.5, 0.0))
    figure = combinations(Picture(across="job", down="age", removed=removed, **labels))
    (cells,) = figure.marks.data
    assert [list(row) for row in cells.text] == [["", "×", "×"], ["", "/", ""]]  # noqa: RUF001
    assert [list(row) for row in cells.z] == [[0, 2, 2], [0, 1, 0]]
    assert figure.table["Impossible"].tolist() == ["a, b", ""]
    assert "3 possible, 1 partly impossible, 2 impossible" in figure.words


def test_numbers_are_not_finer_than_they_deserve() -> None:
    assert [count(number) for number in (9.96, 10.4, 12_345.0)] == ["10.0", "10", "12,345"]
    assert [distance(share) for share in (0.0, 0.099, 1.0)] == ["under 0.1%", "9.9%", "100%"]
