"""Blocks of a rule's picture are told apart by pattern as well as by colour, and each stands once."""

from __future__ import annotations

from synth.app.figures.rules import combinations
from synth.app.project.describe.rules import Picture

PICTURE = Picture(
    across="job",
    down="age",
    labels_across=("none", "a", "b"),
    labels_down=("0 to 14", "15 to 99"),
    removed=((0.0, 1.0, 1.0), (0.0, 0.5, 0.0)),
    cells=6,
)


def test_every_block_is_drawn_once_in_the_trace_of_its_state() -> None:
    figure = combinations(PICTURE).marks
    drawn = {
        trace.name: {(x, base + 0.46) for x, base in zip(trace.x, trace.base, strict=True)}
        for trace in figure.data
    }
    assert drawn["impossible"] == {(1, 0.0), (2, 0.0)}
    assert drawn["partly impossible"] == {(1, 1.0)}
    assert drawn["possible"] == {(0, 0.0), (0, 1.0), (2, 1.0)}


def test_states_differ_by_pattern_and_not_by_colour_alone() -> None:
    figure = combinations(PICTURE).marks
    shapes = [trace.marker.pattern.shape for trace in figure.data]
    assert len(set(shapes)) == len(shapes) == 3


def test_a_state_that_does_not_occur_keeps_its_place_in_the_legend() -> None:
    figure = combinations(Picture(**{**vars(PICTURE), "removed": ((0.0,) * 3,) * 2})).marks
    assert [trace.name for trace in figure.data] == ["impossible", "partly impossible", "possible"]


def test_hovering_names_both_values() -> None:
    impossible = combinations(PICTURE).marks.data[0]
    assert list(impossible.customdata) == ["age: 0 to 14<br>job: a", "age: 0 to 14<br>job: b"]
    single = Picture(**{**vars(PICTURE), "down": "", "labels_down": ("",), "removed": ((0.0, 1.0, 0.0),)})
    assert list(combinations(single).marks.data[0].customdata) == ["job: a"]


def test_each_value_has_its_three_lists() -> None:
    table = combinations(PICTURE).table
    assert list(table["age"]) == ["0 to 14", "15 to 99"]
    assert list(table["Impossible"]) == ["a, b", ""]
    assert list(table["Partly impossible"]) == ["", "a"]
    assert list(table["Possible"]) == ["none", "none, b"]


def test_a_single_column_is_a_single_line() -> None:
    single = Picture(**{**vars(PICTURE), "down": "", "labels_down": ("",), "removed": ((1.0, 0.0, 0.0),)})
    table = combinations(single).table
    assert len(table) == 1 and list(table.columns) == ["Impossible", "Partly impossible", "Possible"]


def test_a_picture_is_told_with_its_finding() -> None:
    words = combinations(Picture(**{**vars(PICTURE), "also": ("sex",)})).words
    assert words.startswith(
        "Grid of age \N{MULTIPLICATION SIGN} job: 2 blocks impossible, 1 partly, 3 possible."
    )
    assert "sex" in words


def test_a_picture_with_fewer_blocks_than_combinations_says_so() -> None:
    assert "stand for" not in combinations(PICTURE).words
    words = combinations(Picture(**{**vars(PICTURE), "cells": 1400})).words
    assert words.endswith("They stand for 1,400 combinations.")
