from __future__ import annotations

from synth.evaluate.findings import ColumnFinding, PairFinding, Score
from synth.ui import charts_steward

TITLES = {"a": "Age", "b": "Ward", "c": "Work"}
COLUMN = ColumnFinding(name="a", real=(0.5, 0.5), synthetic=(0.25, 0.75), tvd=0.25)


def test_the_worst_column_stands_at_the_top() -> None:
    figure = charts_steward.distances(
        [COLUMN, ColumnFinding(name="b", real=(), synthetic=(), tvd=0.1)], TITLES
    )
    assert list(figure.data[0].y) == ["Age", "Ward"]
    assert list(figure.data[0].x) == [25.0, 10.0]
    assert figure.layout.yaxis.autorange == "reversed"


def test_real_and_synthetic_bars_differ_by_pattern_and_name() -> None:
    figure = charts_steward.overlay(COLUMN, ("young", "old"), "Age")
    assert [t.name for t in figure.data] == ["real", "synthetic"]
    assert len({t.marker.pattern.shape for t in figure.data}) == 2
    assert list(figure.data[1].y) == [25.0, 75.0]


def test_every_pair_lies_below_the_diagonal_once() -> None:
    found = [
        PairFinding(left=x, right=y, tvd=t) for x, y, t in (("c", "a", 0.3), ("a", "b", 0.1), ("b", "c", 0.2))
    ]
    heat = charts_steward.pairs(found, TITLES).data[0]
    assert list(heat.x) == ["Age", "Ward"]
    assert list(heat.y) == ["Ward", "Work"]
    assert [list(line) for line in heat.z] == [[10.0, None], [30.0, 20.0]]


def test_the_three_ways_to_predict_have_marks_of_their_own() -> None:
    score = Score(target="b", measure="accuracy", synthetic=0.7, real=0.8, guess=0.5, apart=False)
    figure = charts_steward.scores([score], TITLES)
    marks = [t for t in figure.data if t.mode == "markers"]
    assert len({t.marker.symbol for t in marks}) == 3
    assert [t.x[0] for t in marks] == [50.0, 70.0, 80.0]
