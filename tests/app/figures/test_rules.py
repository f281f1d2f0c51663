"""Combinations of a rule's picture are told apart by a sign as well as by colour."""

from __future__ import annotations

from synth.app.figures.rules import combinations
from synth.app.project.describe.rules import Picture

PICTURE = Picture(
    across="job",
    down="age",
    labels_across=("none", "a", "b"),
    labels_down=("0 to 14", "15 to 99"),
    removed=((0.0, 1.0, 1.0), (0.0, 0.5, 0.0)),
)


def test_every_combination_has_the_sign_of_its_state() -> None:
    figure = combinations(PICTURE)
    (cells,) = figure.marks.data
    assert [list(row) for row in cells.text] == [["", "×", "×"], ["", "/", ""]]  # noqa: RUF001
    assert [list(row) for row in cells.z] == [[0, 2, 2], [0, 1, 0]]
    assert figure.table["Impossible"].tolist() == ["a, b", ""]
    assert "3 possible, 1 partly impossible, 2 impossible" in figure.words
