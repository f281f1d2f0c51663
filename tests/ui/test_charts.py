"""Figures say what the report says, and never by colour alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from synth.project.released import ColumnView, PairBound, ResidualView
from synth.ui import charts

VIEW = ColumnView(
    name="ward",
    title="Ward",
    labels=("a", "b", "(blank)"),
    synthetic=(30.0, 12.0, 0.0),
    noisy=(28.0, 15.0, -4.0),
    whisker=6.5,
    people=True,
)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


PAPERS = ("#fdfcf9", "#11181c")
"""The backgrounds of the two themes in `.streamlit/config.toml`."""


@pytest.mark.parametrize("paper", PAPERS)
def test_marks_can_be_seen_in_both_themes(paper: str) -> None:
    config = (Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text()
    assert f'backgroundColor = "{paper}"' in config
    for colour in (charts.SYNTHETIC, charts.NOISY, charts.SPENT, charts.NEUTRAL):
        assert contrast(colour, paper) > 2.8


def test_numbers_can_be_read_on_every_shade() -> None:
    for share in (0.01, 0.07, 0.15, 0.3, 0.9, None):
        assert contrast(charts._on(share), charts._shade(share)) > 4.5


def test_no_chart_sets_the_colour_of_its_text_or_paper() -> None:
    figures = [charts.marginal(VIEW), charts.odds(0.7), charts.ledger({"this run": 0.2, "left": 0.8})]
    for figure in figures:
        assert figure.layout.font.color is None
        assert figure.layout.xaxis.tickfont.color is None
        assert figure.layout.paper_bgcolor == "rgba(0,0,0,0)"


def test_a_marginal_keeps_negative_noisy_counts_and_one_whisker() -> None:
    figure = charts.marginal(VIEW)
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
    figure = charts.marginal(many)
    assert len(figure.data) == 1
    assert len(figure.data[0].x) == 90
    assert 10 < len(figure.layout.xaxis.ticktext) <= charts.MOST_LABELS
    assert list(figure.layout.xaxis.ticktext) == [labels[i] for i in figure.layout.xaxis.tickvals]


def test_kinds_of_bounds_differ_by_pattern_and_word_and_lie_below_the_diagonal() -> None:
    pairs = [
        PairBound(left="a", right="b", kind="measured", share=0.02),
        PairBound(left="a", right="c", kind="inferred", share=0.5),
        PairBound(left="b", right="c", kind="none", share=None),
    ]
    figure = charts.bounds(pairs, ["a", "b", "c"])
    assert len({trace.marker.pattern.shape for trace in figure.data}) == 3
    assert [trace.name for trace in figure.data] == ["measured", "inferred", "no bound"]
    for trace in figure.data:
        assert all(x < base + 0.47 for x, base in zip(trace.x, trace.base, strict=True))
    assert [a.text for a in figure.layout.annotations] == ["2", "50", "-"]


def test_bounds_can_be_drawn_without_any_pair() -> None:
    assert len(charts.bounds([], ["a"]).data) == 3


def test_residuals_beyond_three_get_another_shape_and_stay_in_sight() -> None:
    views = [
        ResidualView(name="a", sigmas=(0.1, -2.9)),
        ResidualView(name="b", sigmas=(3.1, -8.0)),
    ]
    figure = charts.residuals(views)
    within, beyond = figure.data
    assert list(within.x) == [0.1, -2.9]
    assert list(beyond.x) == [3.1, -8.0]
    assert within.marker.symbol != beyond.marker.symbol
    low, high = figure.layout.xaxis.range
    assert low < -8.0
    assert high > 3.1


@pytest.mark.parametrize(("posterior", "right"), [(0.5, 50), (0.731, 73), (1.0, 100)])
def test_odds_are_one_hundred_icons_each(posterior: float, right: int) -> None:
    figure = charts.odds(posterior)
    assert [len(t.x) for t in figure.data] == [50, 50, right, 100 - right]
    assert {t.marker.symbol for t in figure.data} == {"square", "square-open"}


def test_the_ledger_bar_names_its_parts_and_adds_up() -> None:
    parts = {"spent": 0.25, "reserved": 0.05, "this run": 0.3, "left": 0.4}
    figure = charts.ledger(parts)
    assert sum(t.x[0] for t in figure.data) == pytest.approx(100)
    looks = {(t.marker.color, t.marker.pattern.shape) for t in figure.data}
    assert len(looks) == 4
