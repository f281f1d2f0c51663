from __future__ import annotations

from pathlib import Path

import pandas as pd

from synth.check.unseen import Missed
from synth.project.compare import Standing
from synth.project.released import ColumnView, ReleaseView
from synth.project.runs import SyntheticTable
from synth.ui import tables_compare
from synth.ui.text import compare as text


def standing(number: int, square: float, *, bound: float | None = 0.2, unbound: int = 0) -> Standing:
    release = ReleaseView(
        columns=(),
        pairs=(),
        residuals=(),
        flags=(),
        rows=10,
        held=(),
        sample=pd.DataFrame(),
        measured=1,
        epsilon=1.0,
        delta=1e-7,
        confidence=0.95,
    )
    run = SyntheticTable(
        run=f"r{number}",
        source=f"r{number}",
        number=number,
        method="a*b",
        epsilon=number / 2,
        delta=1e-7,
        columns=2,
        day="2026-11-22",
        folder=Path("/"),
    )
    off = Missed(square=square, doubt=1.0, marginals=3)
    return Standing(run=run, release=release, columns=off, pairs=None, bound=bound, unbound=unbound)


def test_the_best_is_named_and_level_ones_share_it() -> None:
    told = tables_compare.standings([standing(1, 100.0), standing(2, 101.0), standing(3, 400.0)], "people")
    columns = told[text.COLUMNS.format(counted="people")]
    assert ["best" in cell for cell in columns] == [True, True, False]
    assert columns[2] == "20"
    assert set(told[text.PAIRS.format(counted="people")]) == {text.NOTHING}
    assert "a\\*b" in told[text.RUN][0]


def test_what_is_lost_in_the_noise_is_told_as_a_limit() -> None:
    told = tables_compare.standings([standing(1, 0.5), standing(2, 400.0)], "people")
    assert "below" in told[text.COLUMNS.format(counted="people")][0]


def test_a_price_is_no_merit_and_there_is_no_overall_score() -> None:
    told = tables_compare.standings([standing(1, 1.0), standing(2, 400.0)], "people")
    assert list(told[text.PAID]) == ["0.5", "1"]
    assert list(told.columns) == [
        text.RUN,
        text.PAID,
        text.COLUMNS.format(counted="people"),
        text.PAIRS.format(counted="people"),
        text.BOUND,
        text.BROKEN,
        text.FLAGS,
    ]


def test_pairs_without_a_bound_are_counted_beside_the_mean() -> None:
    told = tables_compare.standings([standing(1, 1.0, unbound=2), standing(2, 1.0, bound=None)], "people")
    assert "2 pairs without" in told[text.BOUND][0]
    assert told[text.BOUND][1] == text.NOTHING


def test_the_table_of_a_column_has_a_column_per_run() -> None:
    view = ColumnView(
        name="w", title="Ward", labels=("a",), synthetic=(3.4,), noisy=None, whisker=0.0, people=True
    )
    told = tables_compare.column([("Run 1", view), ("Run 2", view)])
    assert list(told.columns) == ["Ward", "Run 1", "Run 2"]
    assert list(told["Run 2"]) == ["3"]
