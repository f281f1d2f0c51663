from dataclasses import replace

import numpy as np

from synth.app.figures import compare, results
from synth.app.project.results.compare import Standing, gaps
from synth.app.project.results.pairs import PairTable, PairView
from synth.app.project.results.released import PairBound
from synth.release.verdict.figures import Figure, Verdict
from tests.app.examples import WARD, release_of, table_of


def standing(
    number: int, error: float | None = None, *, sd: float = 0.01, bound: float | None = 0.2, unbound: int = 0
) -> Standing:
    verdict = None if error is None else Verdict(tables=(), means={"pairs": Figure(estimate=error, sd=sd)})
    release = release_of(verdict=verdict)
    return Standing(run=table_of(number), release=release, bound=bound, unbound=unbound)


def test_every_run_has_a_panel_on_the_same_axes() -> None:
    far = replace(WARD, synthetic=(900.0, 0.0, 0.0), noisy=None)
    figure = compare.column([(table_of(1), WARD), (table_of(2), far), (table_of(3), WARD)]).marks
    titles = [table_of(number).label.replace(": ", ": <br>") for number in (1, 2, 3)]
    assert [a.text for a in figure.layout.annotations] == titles
    bars = [t for t in figure.data if t.type == "bar"]
    assert [t.y[0] for t in bars] == [30.0, 900.0, 30.0]
    for axes in (figure.select_xaxes(), figure.select_yaxes()):
        follows = [axis.matches for axis in axes]
        assert follows.count(None) == 1 and len(set(follows)) == 2  # all follow the same one


def test_the_best_is_named_and_those_without_a_real_gap_share_it() -> None:
    rows = [standing(1, 0.10), standing(2, 0.11), standing(3, 0.20), standing(4)]
    stated = compare.standings(rows).table
    pairs = stated["[Pairs of columns](#pair)"]
    assert ["best" in cell for cell in pairs] == [True, True, False, False]
    assert pairs[2].startswith("20.0% (18.0 to 22.0%)") and pairs[3] == compare.UNMEASURED
    assert "a\\*b" in stated[compare.RUN][0] and compare.BOUND not in stated


def test_gaps_are_real_only_beyond_the_noise_of_both() -> None:
    found = gaps([standing(1, 0.10), standing(2, 0.133), standing(3, 0.135)], "pairs")
    assert found is not None and found[0].number == 1
    assert [gap.is_real for gap in found[1]] == [False, True], "2.39 sqrt(2) sd are 0.0338"
    assert gaps([standing(1, 0.1), standing(2)], "pairs") is None


def test_without_a_measured_error_pairs_without_a_bound_are_counted_beside_the_mean() -> None:
    stated = compare.standings([standing(1, unbound=2), standing(2, bound=None)]).table
    assert "2 pairs without" in stated[compare.BOUND][0]
    assert stated[compare.BOUND][1] == compare.NOTHING


def pair_view(*cells: float) -> PairView:
    table = PairTable(
        down=("x", "y"), across=("u", "v"), synthetic=np.array(cells).reshape(2, 2), noisy=None, reach=0.0
    )
    bound = PairBound(clique=("a", "b"), left="A", right="B", kind="measured", share=0.1)
    return PairView(bound=bound, own=table, merged=None, total=100.0, people=True, confidence=0.95)


PAIRS = [(table_of(1), pair_view(10, 20, 30, 40)), (table_of(2), pair_view(10, 25, 25, 40))]


def test_a_difference_has_two_sides_and_leaves_out_the_run_it_is_to() -> None:
    figure = compare.pair(PAIRS, against="r1")
    (shown,) = figure.marks.data
    assert [list(line) for line in shown.z] == [[0.0, 5.0], [-5.0, 0.0]]
    assert shown.zmin == -shown.zmax == -5.0
    assert "each minus Run 1" in figure.words and list(figure.table["Run 2"]) == [0, 5, -5, 0]


def test_error_is_drawn_against_epsilon_and_against_seconds_where_they_are_known() -> None:
    rows = [(table_of(place), Figure(estimate=e, sd=0.01)) for place, e in ((1, 0.2), (2, 0.005), (3, 0.3))]
    seconds, names = {"r1": 3.0, "r2": None, "r3": 12.0}, ["r1", "r2", "r3"]
    figure = compare.tradeoff(rows, seconds, chosen=names, confidence=0.95)
    first = [t for t in figure.marks.data if t.xaxis == "x"]
    second = [t for t in figure.marks.data if t.xaxis == "x2"]
    np.testing.assert_allclose([t.x[0] for t in first], [0.5, 1.0, 1.5])
    assert [t.x[0] for t in second] == [3.0, 12.0]
    assert list(figure.marks.layout.xaxis.ticktext) == ["0.5", "1", "1.5"], "what was paid, and nothing else"
    np.testing.assert_allclose([t.y[0] for t in first], [20.0, 0.5, 30.0])
    np.testing.assert_allclose(first[1].error_y.arrayminus, [0.5], err_msg="no error is below 0")
    assert len({t.marker.symbol for t in first}) == len({t.marker.color for t in first}) == 3
    assert list(figure.table["Seconds of fitting"]) == ["3", "unknown", "12"]


def test_columns_apart_have_a_panel_each_and_a_line_per_run_named_once() -> None:
    other = replace(WARD, name="age", title="Age", synthetic=(1.0, 2.0, 3.0))
    figure = compare.apart([[(table_of(n), view) for n in (1, 2)] for view in (WARD, other)])
    assert [a.text for a in figure.marks.layout.annotations] == ["Ward", "Age"]
    assert [t.showlegend for t in figure.marks.data] == [True, True, False, False]
    assert len({t.marker.symbol for t in figure.marks.data}) == 2
    assert len(figure.table) == 12


def test_a_marginal_keeps_negative_noisy_counts_and_their_whiskers() -> None:
    figure = results.marginal(WARD).marks
    bars, marks = figure.data
    assert list(bars.y) == [30.0, 12.0, 0.0] and list(marks.y) == [28.0, 15.0, -4.0]
    assert list(marks.error_y.array) == [6.5] * 3 and "open" in marks.marker.symbol
    assert list(figure.layout.xaxis.ticktext) == ["a", "b", "(blank)"]
