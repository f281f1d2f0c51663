"""Pairs are told apart by marks as well as by colour, and no cell is without its number or its interval."""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from synth.app.figures import heat, pairs
from synth.app.project.results.pairs import PairTable, PairView
from synth.app.project.results.released import GROUPS, PairBound
from synth.core.numbers import TIMES


def bound(left: str, right: str, kind: str, share: float | None) -> PairBound:
    return PairBound(clique=(left, right), left=left, right=right, kind=kind, share=share)


THREE = (bound("a", "b", "measured", 0.02), bound("a", "c", "inferred", 0.5), bound("b", "c", "none", None))
GROUPED = replace(THREE[2], kind=GROUPS, coarse=0.12)
TITLES = {"a": "a", "b": "b", "c": "c"}
TABLE = PairTable(
    down=("x", "y"),
    across=("u", "v"),
    synthetic=np.array([[1500.0, 20.0], [0.0, 80.0]]),
    noisy=np.array([[1490.0, 60.0], [-7.0, 82.0]]),
    reach=15.0,
)
VIEW = PairView(bound=THREE[0], own=TABLE, merged=None, total=1600.0, people=True, confidence=0.95)


def of_mode(figure: go.Figure, mode: str) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.type == "scatter" and trace.mode == mode]


def pressable(figure: go.Figure) -> dict[tuple[str, str], tuple[int, int]]:
    """Where the mark of each pair lies."""
    (marks,) = (trace for trace in of_mode(figure, "markers") if trace.customdata is not None)
    return {(data[0], data[1]): (x, y) for data, x, y in zip(marks.customdata, marks.x, marks.y, strict=True)}


def test_every_pair_has_one_cell_below_the_diagonal_and_one_mark_to_press() -> None:
    marks = pairs.matrix(THREE, ["a", "b", "c"], TITLES).marks
    assert pressable(marks) == {("a", "b"): (0, 1), ("a", "c"): (0, 2), ("b", "c"): (1, 2)}
    np.testing.assert_array_equal(marks.data[0].z, [[1, np.nan], [5, 0]])


def test_a_pair_with_a_bound_for_groups_of_values_is_not_one_without() -> None:
    figure = pairs.matrix((*THREE[:2], GROUPED), list("abc"), TITLES)
    assert {t.name for t in of_mode(figure.marks, "markers") if t.name} == {
        "inferred",
        "for groups of values only",
    }
    (stated,) = (t.customdata for t in of_mode(figure.marks, "markers") if t.customdata is not None)
    assert stated[2][2] == f"b{TIMES}c<br>at most 12% (for groups of values only)"
    assert "1 with a bound for groups of values only, 0 without a bound" in figure.words
    assert list(figure.table["For groups of values"]) == ["", "", "12%"]


def test_every_cell_has_its_count_its_share_and_its_interval() -> None:
    table = heat.heat(VIEW, TABLE).table
    assert list(table["Synthetic count"]) == [1500, 20, 0, 80]
    assert list(table["Noisy count"]) == [1490, 60, -7, 82]
    assert list(table["At least"]) == [1475, 45, 0, 67]
    assert list(table["At most"]) == [1505, 75, 8, 97]
    assert list(table["Per cent"]) == [93.75, 1.25, 0.0, 5.0]


def test_a_cell_outside_its_interval_is_framed_and_counted() -> None:
    figure = heat.heat(VIEW, TABLE)
    (frame,) = (t for t in figure.marks.data if t.name == "outside its interval")
    assert (list(frame.x), list(frame.y)) == ([1], [0])
    assert "counts, 1 is outside" in figure.words


def test_the_bar_counts_every_pair_once_by_what_its_bound_rests_on() -> None:
    grouped = replace(THREE[0], kind="inferred", coarse=0.01, grouped=True)
    figure = pairs.supports((*THREE, GROUPED, grouped))
    assert list(figure.table["Pairs"]) == [1, 1, 1, 1, 1]
    assert len({trace.marker.pattern.shape for trace in figure.marks.data}) == 5, "not by colour alone"
    assert len(pairs.supports(THREE).marks.data) == 3, "nothing is drawn for no pair"
