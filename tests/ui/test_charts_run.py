"""The two bars show the same line before and after."""

from __future__ import annotations

from synth.ui.charts import LINE_LOOKS
from synth.ui.charts_run import before_after


def test_both_bars_have_their_parts_in_one_order_and_one_look() -> None:
    lines = {"before": {"spent": 0.25, "left": 0.75}, "after": {"spent": 0.25, "this run": 0.5, "left": 0.25}}
    figure = before_after(lines)
    shown = {bar.name: list(bar.x) for bar in figure.data}
    assert shown == {"spent": [25, 25], "this run": [0, 50], "left": [75, 25]}
    assert [list(bar.y) for bar in figure.data] == [["before", "after"]] * 3
    assert len({(bar.marker.color, bar.marker.pattern.shape) for bar in figure.data}) == 3


def test_a_run_that_does_not_fit_stands_out_beyond_the_mark() -> None:
    figure = before_after({"before": {"left": 1.0}, "after": {"this run": 1.6, "left": 0.0}})
    assert figure.layout.xaxis.range[1] > 160
    assert figure.layout.shapes[0].x0 == 100


def test_no_two_parts_look_alike() -> None:
    assert len(set(LINE_LOOKS.values())) == len(LINE_LOOKS)
