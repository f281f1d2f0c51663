"""The forecast of the accuracy follows from declarations and measured comparisons."""

from dataclasses import replace

import pytest

from synth.app.project import declared
from synth.app.project.spend.accuracy import expected_accuracy, too_small
from synth.app.project.spend.allocation import VERDICT, allocate
from synth.app.project.spend.measured import Comparison, Finding, Shape, Source
from synth.app.project.store import Budget, Method
from synth.app.ui.text import budget as text
from synth.core.schema import Column, Kind, Unit

SCHEMA = declared.read(declared.demo()).schema
SOURCE = Source(started="", command="", machine="", cores="", version="", commit="")
FOUND = Finding(
    method="blend", workload=2, runs=3, columns=0.01, pairs=0.04, triples=0.1, seconds=5.0, source=SOURCE
)
ALIKE = Comparison(
    title="Like it",
    is_invented=False,
    shape=Shape(columns=11, ordered=4, rows=6_000),
    epsilon=1.0,
    delta=1e-9,
    findings=(FOUND, replace(FOUND, method="aim", pairs=0.05)),
)


def forecast(budget: Budget, method: Method | None = None):  # type: ignore[no-untyped-def]
    method = method or Method()
    allocation = allocate(SCHEMA, budget, method)
    return expected_accuracy(SCHEMA, budget, method, allocation, among=(ALIKE,))


def test_errors_are_scaled_by_rows_and_epsilon() -> None:
    found = forecast(Budget(epsilon=2.0, rows_about=3_000))
    assert found.source == "Like it" and found.errors["pairs"] == pytest.approx(0.04)
    assert forecast(Budget(epsilon=0.5, rows_about=3_000)).errors["pairs"] == pytest.approx(0.08)
    assert forecast(Budget(epsilon=2.0, rows_about=3_000), Method(name="aim")).errors["pairs"] == 0.05
    assert forecast(Budget(epsilon=2.0)).errors == {} and forecast(Budget(epsilon=2.0)).check is None


def test_a_forecast_has_the_range_of_half_of_the_benchmark_tables() -> None:
    """Every table but the first is nearest to the first and has twice its error."""
    worse = (replace(FOUND, pairs=0.08),)
    tables = [ALIKE, *(replace(ALIKE, title=f"Table {n}", findings=worse) for n in range(9))]
    for known, often in ((tables, (0.08, 0.08)), (tables[:-1], None)):
        budget, method = Budget(epsilon=2.0, rows_about=3_000), Method()
        allocation = allocate(SCHEMA, budget, method)
        found = expected_accuracy(SCHEMA, budget, method, allocation, among=tuple(known))
        assert found.often == (None if often is None else pytest.approx(often))
        assert ("often 8.0% to 8.0%" in text.accuracy(found)) is (often is not None)


def test_the_check_is_as_precise_as_its_share_and_the_row_count_allow() -> None:
    usual = forecast(Budget(rows_about=30_000)).check
    more = forecast(Budget(rows_about=30_000, weights={VERDICT: "max"})).check
    assert usual is not None and more is not None and more.pair < usual.pair / 1.5
    assert forecast(Budget(rows_about=30_000, weights={VERDICT: "off"})).check is None
    public = replace(SCHEMA, rows_public=30_000)
    budget = Budget(rows_about=30_000)
    known = expected_accuracy(public, budget, Method(), allocate(public, budget, Method()), among=()).check
    assert known is not None and known.mean != usual.mean


def test_a_table_that_is_too_small_is_named_before_the_run() -> None:
    wide = replace(
        SCHEMA,
        columns=tuple(
            Column(name=f"c{n}", kind=Kind.CATEGORY, values=tuple("abcde"), blank=False) for n in range(80)
        ),
        unit=Unit(max_rows=1),
    )
    said = too_small(wide, Budget(epsilon=1.0, rows_about=176), Method())
    assert said is not None and "176 rows, 80 columns and epsilon 1" in said and "% of the rows" in said
    for rows, epsilon in ((200_000, 1.0), (176, 500.0), (None, 1.0)):
        assert too_small(wide, Budget(epsilon=epsilon, rows_about=rows), Method()) is None
    assert too_small(SCHEMA, Budget(epsilon=1.0, rows_about=6_000), Method()) is None
    assert too_small(replace(wide, rows_public=176), Budget(epsilon=1.0), Method(name="aim")) is not None
