"""Figures say what the report says, and never by colour alone."""

from __future__ import annotations

from synth.app.figures import results
from synth.app.project.results.released import ColumnView, Residuals, ResidualView

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


def found(*views: ResidualView, rest: tuple[float, ...] = ()) -> Residuals:
    cells = [z for view in views for z in view.sigmas]
    return Residuals(worst=views, rest=rest, cells=len(cells), beyond=sum(abs(z) > 3 for z in cells))


def test_the_other_tables_are_a_histogram_that_loses_none_and_tells_those_beyond_three() -> None:
    rest = (0.4, 1.1, 1.2, 2.99, 3.0, 7.6)
    figure = results.other_residuals(found(rest=rest))
    assert sum(figure.frame["Measured tables"]) == len(rest)
    within, beyond = figure.marks.data
    assert (sum(within.y), sum(beyond.y)) == (4, 2)
    assert within.marker.pattern.shape != beyond.marker.pattern.shape
