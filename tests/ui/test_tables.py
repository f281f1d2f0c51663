"""The table under a chart carries the same numbers as the chart."""

from __future__ import annotations

from synth.project.released import ColumnView, PairBound, ResidualView
from synth.ui import tables


def view(noisy: tuple[float, ...] | None) -> ColumnView:
    return ColumnView(
        name="w",
        title="Ward",
        labels=("a", "b"),
        synthetic=(3.4, 8.0),
        noisy=noisy,
        whisker=2.25,
        people=True,
    )


def test_a_marginal_without_measurement_has_no_noise_columns() -> None:
    assert list(tables.marginal(view(None)).columns) == ["Ward", "Synthetic"]


def test_a_marginal_shows_negative_counts_as_they_are() -> None:
    table = tables.marginal(view((-5.0, 9.0)))
    assert list(table["Noisy count"]) == [-5, 9]
    assert list(table["Synthetic"]) == [3, 8]


def test_bounds_begin_with_what_is_not_known() -> None:
    pairs = [
        PairBound(left="a", right="b", kind="measured", share=0.02),
        PairBound(left="a", right="c", kind="inferred", share=0.5),
        PairBound(left="b", right="c", kind="none", share=None),
    ]
    table = tables.bounds(pairs)
    assert list(table["At most"]) == ["no bound", "50 %", "2.0 %"]
    assert "b" in table["Pair"][0]


def test_residuals_count_those_beyond_three() -> None:
    table = tables.residuals([ResidualView(name="a", sigmas=(-3.2, 1.0, 4.0))])
    assert list(table["Beyond three"]) == [2]
    assert list(table["Largest, in sigma"]) == [4.0]
