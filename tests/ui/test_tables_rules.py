"""The table says in words what the picture shows."""

from __future__ import annotations

from synth.project.rules import Picture
from synth.ui.tables_rules import blocks

PICTURE = Picture(
    across="job",
    down="age",
    labels_across=("none", "a", "b"),
    labels_down=("0 to 14", "15 to 99"),
    removed=((0.0, 1.0, 1.0), (0.0, 0.5, 0.0)),
)


def test_each_value_has_its_three_lists() -> None:
    table = blocks(PICTURE)
    assert list(table["age"]) == ["0 to 14", "15 to 99"]
    assert list(table["Impossible"]) == ["a, b", ""]
    assert list(table["Partly impossible"]) == ["", "a"]
    assert list(table["Possible"]) == ["none", "none, b"]


def test_a_single_column_is_a_single_line() -> None:
    single = Picture(**{**vars(PICTURE), "down": "", "labels_down": ("",), "removed": ((1.0, 0.0, 0.0),)})
    table = blocks(single)
    assert len(table) == 1 and list(table.columns) == ["Impossible", "Partly impossible", "Possible"]
