"""Blocks of a rule's picture are told apart by pattern as well as by colour, and each stands once."""

from __future__ import annotations

from synth.project.rules import Picture
from synth.ui import charts_rules

PICTURE = Picture(
    across="job",
    down="age",
    labels_across=("none", "a", "b"),
    labels_down=("0 to 14", "15 to 99"),
    removed=((0.0, 1.0, 1.0), (0.0, 0.5, 0.0)),
)


def test_every_block_is_drawn_once_in_the_trace_of_its_state() -> None:
    figure = charts_rules.grid(PICTURE)
    drawn = {
        trace.name: {(x, base + 0.46) for x, base in zip(trace.x, trace.base, strict=True)}
        for trace in figure.data
    }
    assert drawn["impossible"] == {(1, 0.0), (2, 0.0)}
    assert drawn["partly impossible"] == {(1, 1.0)}
    assert drawn["possible"] == {(0, 0.0), (0, 1.0), (2, 1.0)}


def test_states_differ_by_pattern_and_not_by_colour_alone() -> None:
    figure = charts_rules.grid(PICTURE)
    shapes = [trace.marker.pattern.shape for trace in figure.data]
    assert len(set(shapes)) == len(shapes) == 3


def test_a_state_that_does_not_occur_keeps_its_place_in_the_legend() -> None:
    figure = charts_rules.grid(Picture(**{**vars(PICTURE), "removed": ((0.0,) * 3,) * 2}))
    assert [trace.name for trace in figure.data] == ["impossible", "partly impossible", "possible"]


def test_hovering_names_both_values() -> None:
    impossible = charts_rules.grid(PICTURE).data[0]
    assert list(impossible.customdata) == ["age: 0 to 14<br>job: a", "age: 0 to 14<br>job: b"]
    single = Picture(**{**vars(PICTURE), "down": "", "labels_down": ("",), "removed": ((0.0, 1.0, 0.0),)})
    assert list(charts_rules.grid(single).data[0].customdata) == ["job: a"]
