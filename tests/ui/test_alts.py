"""What a screen reader is told about a picture holds the finding."""

from __future__ import annotations

from synth.project.released import ColumnView, PairBound, ResidualView
from synth.ui import alts


def test_a_marginal_names_its_most_frequent_value() -> None:
    view = ColumnView(
        name="w", title="Ward", labels=("a", "b"), synthetic=(1, 5), noisy=(2, 4), whisker=3, people=True
    )
    assert "most frequent is b" in alts.marginal(view)
    assert "3" in alts.marginal(view)


def test_bounds_are_counted_by_kind() -> None:
    pairs = [
        PairBound(left="a", right="b", kind=k, share=None) for k in ("measured", "none", "none", "inferred")
    ]
    assert alts.bounds(pairs) == (
        "Triangle of 4 pairs of columns: 1 measured, 1 inferred, 2 without a bound."
    )


def test_residuals_beyond_three_are_counted() -> None:
    assert "2 lie beyond" in alts.residuals([ResidualView(name="a", sigmas=(3.5, -9.0, 0.0))])


def test_the_ledger_lists_every_part() -> None:
    assert alts.ledger({"this run": 0.25, "left": 0.75}) == (
        "A bar of the lifetime budget: this run 25 %, left 75 %."
    )
