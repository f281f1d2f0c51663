"""Figures say what the report says, and never by colour alone."""

from __future__ import annotations

from synth.app.figures import results
from synth.app.project.results.released import ColumnView

VIEW = ColumnView(
    name="ward",
    title="Ward",
    labels=("a", "b", "(blank)"),
    synthetic=(30.0, 12.0, 0.0),
    noisy=(28.0, 15.0, -4.0),
    whisker=6.5,
    people=True,
)


def test_a_marginal_keeps_negative_noisy_counts_and_one_whisker() -> None:
    figure = results.marginal(VIEW).marks
    bars, marks = figure.data
    assert list(bars.y) == [30.0, 12.0, 0.0]
    assert list(marks.y) == [28.0, 15.0, -4.0]
    assert marks.error_y.value == 6.5
    assert "open" in marks.marker.symbol
    assert list(figure.layout.xaxis.ticktext) == ["a", "b", "(blank)"]
