from __future__ import annotations

from dataclasses import replace

from synth.project.released import ColumnView
from synth.ui import charts_compare

VIEW = ColumnView(
    name="ward",
    title="Ward",
    labels=("a", "b", "(blank)"),
    synthetic=(30.0, 12.0, 0.0),
    noisy=(28.0, 15.0, -4.0),
    whisker=6.5,
    people=True,
)


def test_every_run_has_a_panel_on_the_same_axes() -> None:
    far = replace(VIEW, synthetic=(900.0, 0.0, 0.0), noisy=None)
    figure = charts_compare.column([("Run 1", VIEW), ("Run 2", far), ("Run 3", VIEW)])
    assert [a.text for a in figure.layout.annotations] == ["Run 1", "Run 2", "Run 3"]
    bars = [t for t in figure.data if t.type == "bar"]
    assert [t.y[0] for t in bars] == [30.0, 900.0, 30.0]
    for axes in (figure.select_xaxes(), figure.select_yaxes()):
        follows = [axis.matches for axis in axes]
        assert follows.count(None) == 1 and len(set(follows)) == 2  # all follow the same one


def test_noisy_counts_are_hollow_and_named_once() -> None:
    figure = charts_compare.column([("Run 1", VIEW), ("Run 2", VIEW)])
    marks = [t for t in figure.data if t.type == "scatter"]
    assert {t.marker.symbol for t in marks} == {"diamond-open"}
    assert [t.showlegend for t in figure.data] == [True, True, False, False]
    assert list(marks[0].y) == [28.0, 15.0, -4.0]
