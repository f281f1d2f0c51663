"""Figures say what the report says, and never by colour alone."""

from __future__ import annotations

from dataclasses import replace

from synth.app.figures import results
from synth.app.figures.marks import MOST_LABELS
from synth.app.project.results.released import ColumnView, Residuals, ResidualView
from synth.release.checks.shares import FoundShare

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


def test_many_labels_are_thinned_but_no_bar_is_dropped() -> None:
    labels = tuple(str(i) for i in range(90))
    values = tuple(float(i) for i in range(90))
    many = ColumnView(
        name="x", title="X", labels=labels, synthetic=values, noisy=None, whisker=0, people=False
    )
    figure = results.marginal(many).marks
    assert len(figure.data) == 1
    assert len(figure.data[0].x) == 90
    assert 10 < len(figure.layout.xaxis.ticktext) <= MOST_LABELS
    assert list(figure.layout.xaxis.ticktext) == [labels[i] for i in figure.layout.xaxis.tickvals]


def test_residuals_beyond_three_get_another_shape_and_stay_in_sight() -> None:
    views = Residuals(
        worst=(ResidualView(name="a", sigmas=(0.1, -2.9)), ResidualView(name="b", sigmas=(3.1, -8.0)))
    )
    figure = results.residuals(views).marks
    within, beyond = figure.data
    assert list(within.x) == [0.1, -2.9]
    assert list(beyond.x) == [3.1, -8.0]
    assert within.marker.symbol != beyond.marker.symbol
    low, high = figure.layout.xaxis.range
    assert low < -8.0
    assert high > 3.1


def test_a_column_called_like_a_heading_keeps_its_values_in_the_table() -> None:
    table = results.marginal(replace(VIEW, title="Synthetic")).table
    assert list(table["Synthetic"]) == [30, 12, 0]
    assert list(table["Synthetic (values)"]) == ["a", "b", "(blank)"]


def found(*views: ResidualView, rest: tuple[float, ...] = ()) -> Residuals:
    cells = [z for view in views for z in view.sigmas]
    return Residuals(worst=views, rest=rest, cells=len(cells), beyond=sum(abs(z) > 3 for z in cells))


def test_residuals_beyond_three_are_counted_in_words() -> None:
    figure = results.residuals(found(ResidualView(name="a", sigmas=(3.5, -9.0, 0.0))))
    assert "of all 3 cells 2 are off" in figure.words


def test_the_other_tables_are_a_histogram_that_loses_none_and_tells_those_beyond_three() -> None:
    rest = (0.4, 1.1, 1.2, 2.99, 3.0, 7.6)
    figure = results.other_residuals(found(rest=rest))
    assert sum(figure.frame["Measured tables"]) == len(rest)
    within, beyond = figure.marks.data
    assert (sum(within.y), sum(beyond.y)) == (4, 2)
    assert within.marker.pattern.shape != beyond.marker.pattern.shape


def test_shares_stand_beside_what_was_asked_for() -> None:
    found = (
        FoundShare(sentence="s *", origin="bought", wanted=0.2, reached=0.2001, noisy=0.2, sigma=0.003),
        FoundShare(sentence="t", origin="hidden", wanted=0.5, reached=0.5),
    )
    table = results.shares(found).table
    assert list(table["Asked for"]) == ["20.000 % (typical noise 0.300 %)", "50.000 %"]
    assert list(table["Reached"]) == ["20.010 %", "50.000 %"] and table["Share"][0] == "s \\*"
    assert list(table["The number is"]) == ["bought, noisy", "declared, to hide the true one"]
