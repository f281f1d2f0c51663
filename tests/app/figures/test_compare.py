from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from synth.app.figures import compare
from synth.app.figures.marks import NEUTRAL, look_of
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


def test_five_runs_stand_two_side_by_side_with_room_for_titles_of_three_lines() -> None:
    again = [replace(run(1), run=f"r{i}", generator=f"Way {i}") for i in range(5)]
    figure = compare.column([(one, VIEW) for one in again]).marks
    assert len({round(a.x, 6) for a in figure.layout.annotations}) == 2
    assert {a.text.count("<br>") for a in figure.layout.annotations} == {2}
    axes = sorted({tuple(axis.domain) for axis in figure.select_yaxes()})
    inner = figure.layout.height - figure.layout.margin.t - figure.layout.margin.b
    between = [(high[0] - low[1]) * inner for low, high in pairwise(axes)]
    assert min(between) > 3 * 13 * 1.2, "three lines of 13 pixels"


def test_the_best_is_named_and_level_ones_share_it() -> None:
    told = compare.standings([standing(1, 100.0), standing(2, 101.0), standing(3, 400.0)], "people").table
    columns = told[compare.COLUMNS.format(counted="people")]
    assert ["best" in cell for cell in columns] == [True, True, False]
    assert columns[2] == "20"
    assert set(told[compare.PAIRS.format(counted="people")]) == {compare.NOTHING}
    assert "a\\*b" in told[compare.RUN][0]


def test_no_run_is_best_by_a_bound_that_is_printed_alike() -> None:
    rows = [standing(1, 1.0, bound=0.302), standing(2, 1.0, bound=0.298), standing(3, 1.0, bound=0.4)]
    told = compare.standings(rows, "people").table[compare.BOUND]
    assert ["(best)" in cell for cell in told] == [False] * 3
    assert ["best" in cell for cell in told] == [True, True, False]


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


def test_a_pair_has_one_scale_in_all_runs() -> None:
    maps = compare.pair(PAIRS).marks.data
    assert [(m.zmin, m.zmax) for m in maps] == [(0, 40.0)] * 2
    assert [m.showscale for m in maps] == [True, False]


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


def test_runs_of_one_epsilon_and_one_time_lie_side_by_side_and_tell_their_own() -> None:
    alike = [replace(run(place), epsilon=1.0) for place in (1, 2, 3)]
    rows, seconds = [(one, off(400.0)) for one in alike], dict.fromkeys(("r1", "r2", "r3"), 8.0)
    figure = compare.tradeoff(rows, seconds, chosen=list(seconds), columns=1, counted="people").marks
    for axis, own in (("x", 1.0), ("x2", 8.0)):
        some = [trace for trace in figure.data if trace.xaxis == axis]
        places = sorted(trace.x[0] for trace in some)
        ends = figure.layout[f"{axis[0]}axis{axis[1:]}"].range
        at = np.log10(places) if axis == "x" else np.array(places)
        assert (np.diff(at) > 0.02 * (ends[1] - ends[0])).all(), "a mark's breadth apart"
        np.testing.assert_allclose(places[1], own)
        assert all(f"<br>{own:g}: error 20" in trace.hovertemplate for trace in some)


def test_runs_that_are_not_chosen_are_small_grey_and_named_together() -> None:
    rows = [(run(place), off(100.0 * place)) for place in (1, 2, 3, 4)]
    figure = compare.tradeoff(rows, {}, chosen=["r2", "r4"], columns=2, counted="people")
    by_name: dict[str, list[object]] = {}
    for trace in figure.marks.data:
        by_name.setdefault(trace.name, []).append(trace)
    assert {name: len(some) for name, some in by_name.items()} == {"Run 2": 1, "Run 4": 1, compare.OTHERS: 2}
    first, second = by_name[compare.OTHERS]
    assert (first.showlegend, second.showlegend) == (True, False)
    assert first.marker.color == second.marker.color == NEUTRAL
    assert first.marker.size < by_name["Run 2"][0].marker.size
    assert by_name["Run 2"][0].marker.color == look_of(0)[0], "as in the small multiples below it"
    assert len(figure.table) == 4, "the table has every run"


def test_columns_apart_have_a_panel_each_and_a_line_per_run_named_once() -> None:
    other = replace(VIEW, name="age", title="Age", synthetic=(1.0, 2.0, 3.0))
    figure = compare.apart([[(run(1), VIEW), (run(2), VIEW)], [(run(1), other), (run(2), other)]])
    assert [a.text for a in figure.marks.layout.annotations] == ["Ward", "Age"]
    assert [t.showlegend for t in figure.marks.data] == [True, True, False, False]
    assert len({t.marker.symbol for t in figure.marks.data}) == 2
    assert len(figure.table) == 12
