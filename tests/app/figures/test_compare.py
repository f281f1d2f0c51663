from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from synth.app.figures import compare
from synth.app.project.results.compare import Standing
from synth.app.project.results.pairs import PairTable, PairView
from synth.app.project.results.released import ColumnView, PairBound, ReleaseView, Residuals
from synth.app.project.runs import SyntheticTable
from synth.release.checks.unseen import Missed

VIEW = ColumnView(
    name="ward",
    title="Ward",
    labels=("a", "b", "(blank)"),
    synthetic=(30.0, 12.0, 0.0),
    noisy=(28.0, 15.0, -4.0),
    whisker=6.5,
    people=True,
)


def run(number: int) -> SyntheticTable:
    return SyntheticTable(
        run=f"r{number}",
        source=f"r{number}",
        number=number,
        method="a*b",
        epsilon=number / 2,
        delta=1e-7,
        columns=2,
        day="2026-11-22",
        folder=Path("/"),
    )


def standing(number: int, square: float, *, bound: float | None = 0.2, unbound: int = 0) -> Standing:
    release = ReleaseView(
        columns=(),
        pairs=(),
        residuals=Residuals(),
        flags=(),
        rows=10,
        held=(),
        sample=pd.DataFrame(),
        measured=1,
        epsilon=1.0,
        delta=1e-7,
        confidence=0.95,
    )
    errors = {"columns": off(square), "pairs": None}
    return Standing(run=run(number), release=release, bound=bound, unbound=unbound, **errors)


def off(square: float) -> Missed:
    return Missed(square=square, doubt=1.0, marginals=3)


def test_every_run_has_a_panel_on_the_same_axes() -> None:
    far = replace(VIEW, synthetic=(900.0, 0.0, 0.0), noisy=None)
    figure = compare.column([(run(1), VIEW), (run(2), far), (run(3), VIEW)]).marks
    titles = [run(number).label.replace(": ", ": <br>") for number in (1, 2, 3)]
    assert [a.text for a in figure.layout.annotations] == titles
    bars = [t for t in figure.data if t.type == "bar"]
    assert [t.y[0] for t in bars] == [30.0, 900.0, 30.0]
    for axes in (figure.select_xaxes(), figure.select_yaxes()):
        follows = [axis.matches for axis in axes]
        assert follows.count(None) == 1 and len(set(follows)) == 2  # all follow the same one


def test_the_best_is_named_and_level_ones_share_it() -> None:
    told = compare.standings([standing(1, 100.0), standing(2, 101.0), standing(3, 400.0)], "people").table
    columns = told[compare.COLUMNS.format(counted="people")]
    assert ["best" in cell for cell in columns] == [True, True, False]
    assert columns[2] == "20"
    assert set(told[compare.PAIRS.format(counted="people")]) == {compare.NOTHING}
    assert "a\\*b" in told[compare.RUN][0]


def test_pairs_without_a_bound_are_counted_beside_the_mean() -> None:
    told = compare.standings([standing(1, 1.0, unbound=2), standing(2, 1.0, bound=None)], "people").table
    assert "2 pairs without" in told[compare.BOUND][0]
    assert told[compare.BOUND][1] == compare.NOTHING


def pair_view(*cells: float) -> PairView:
    table = PairTable(
        down=("x", "y"), across=("u", "v"), synthetic=np.array(cells).reshape(2, 2), noisy=None, reach=0.0
    )
    bound = PairBound(clique=("a", "b"), left="A", right="B", kind="measured", share=0.1)
    return PairView(bound=bound, own=table, merged=None, total=100.0, people=True, confidence=0.95)


PAIRS = [(run(1), pair_view(10, 20, 30, 40)), (run(2), pair_view(10, 25, 25, 40))]


def test_a_difference_has_two_sides_and_leaves_out_the_run_it_is_to() -> None:
    figure = compare.pair(PAIRS, against="r1")
    (shown,) = figure.marks.data
    assert [list(line) for line in shown.z] == [[0.0, 5.0], [-5.0, 0.0]]
    assert shown.zmin == -shown.zmax == -5.0
    assert "each minus Run 1" in figure.words and list(figure.table["Run 2"]) == [0, 5, -5, 0]


def test_error_is_drawn_against_epsilon_and_against_seconds_where_they_are_known() -> None:
    rows = [(run(place), off(square)) for place, square in ((1, 400.0), (2, 0.5), (3, 900.0))]
    seconds, names = {"r1": 3.0, "r2": None, "r3": 12.0}, ["r1", "r2", "r3"]
    figure = compare.tradeoff(rows, seconds, chosen=names, columns=1, counted="people")
    first = [t for t in figure.marks.data if t.xaxis == "x"]
    second = [t for t in figure.marks.data if t.xaxis == "x2"]
    np.testing.assert_allclose([t.x[0] for t in first], [0.5, 1.0, 1.5])
    assert [t.x[0] for t in second] == [3.0, 12.0]
    assert list(figure.marks.layout.xaxis.ticktext) == ["0.5", "1", "1.5"], "what was paid, and nothing else"
    assert first[0].y[0] == 20.0
    assert [t.marker.symbol.endswith("-open") for t in first] == [False, True, False]
    assert len({t.marker.symbol for t in first}) == len({t.marker.color for t in first}) == 3
    assert list(figure.table["Seconds of fitting"]) == ["3", "unknown", "12"]
    assert list(figure.table["Error"])[1].startswith("below")


def test_columns_apart_have_a_panel_each_and_a_line_per_run_named_once() -> None:
    other = replace(VIEW, name="age", title="Age", synthetic=(1.0, 2.0, 3.0))
    figure = compare.apart([[(run(1), VIEW), (run(2), VIEW)], [(run(1), other), (run(2), other)]])
    assert [a.text for a in figure.marks.layout.annotations] == ["Ward", "Age"]
    assert [t.showlegend for t in figure.marks.data] == [True, True, False, False]
    assert len({t.marker.symbol for t in figure.marks.data}) == 2
    assert len(figure.table) == 12
