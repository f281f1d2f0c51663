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
