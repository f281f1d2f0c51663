from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from synth.core.axis import Axis, domain_of
from synth.core.codebook import Codebook
from synth.core.discretisation import axis_of
from synth.core.numbers import about
from synth.core.schema import Column, Kind, Schema, Unit
from synth.estimates.effects import Average, Pool
from synth.release.checks.flags import Flag
from synth.release.checks.means import mean_flags, mean_interval
from tests.models.examples import measurement

CUTS = (50, 200, 1000, 5000)
PAY = Column(name="pay", kind=Kind.DECIMAL, min=0, max=250_000, cuts=CUTS)
TRUE = np.array([9_000, 8_000, 2_500, 440, 60, 0])
"""Records in the five bins of `PAY`, and no blank."""


def alone(axis: Axis) -> tuple[int, ...]:
    return tuple(range(axis.size))


def raised(column: Column, counts: np.ndarray, values: np.ndarray, *, sigma: int = 5) -> list[Flag]:
    axis = axis_of(column)
    schema = Schema(name="t", population="p", unit=Unit(max_rows=1), columns=(column,))
    m = measurement((column.name,), counts, Fraction(sigma) ** 2)
    pool = Pool(domain_of([axis]), [m])
    found = mean_flags(pd.DataFrame({column.name: values}), pool, Codebook(schema=schema, axes=(axis,)))
    assert all((flag.code, flag.blocks, flag.columns) == ("wide_mean", False, ("pay",)) for flag in found)
    return found


def flags_of(column: Column, counts: np.ndarray, values: np.ndarray, *, sigma: int = 5) -> list[str]:
    return [flag.with_advice for flag in raised(column, counts, values, sigma=sigma)]


def drawn(column: Column, counts: np.ndarray, seed: int = 0) -> np.ndarray:
    axis, rng = axis_of(column), np.random.default_rng(seed)
    edges = np.array(axis.edges)
    bins = np.repeat(np.arange(axis.cells), counts[: axis.cells])
    return rng.uniform(edges[bins], edges[bins + 1])


@pytest.mark.parametrize("end", [0, 1])
def test_the_interval_holds_the_mean_at_its_confidence_wherever_records_lie(end: int) -> None:
    """Records at one end of all bins are the worst case: there only noise decides, at 2.5% for that end."""
    axis, rng, sigma, runs = axis_of(PAY), np.random.default_rng(5), 20.0, 4_000
    edges = np.array(axis.edges)
    truth = float(TRUE[:5] @ edges[end : end + 5]) / TRUE.sum()
    outside = 0
    for _ in range(runs):
        answers = Average(TRUE + sigma * rng.standard_normal(6), sigma**2)
        found = mean_interval(answers, axis, alone(axis))
        outside += not found.low <= truth <= found.high
    expected, spread = 0.025 * runs, (0.025 * 0.975 * runs) ** 0.5
    assert outside < expected + 5 * spread
    if end:  # at the lower end the smallest value of the range cuts the interval off
        assert outside > expected - 5 * spread


def test_without_noise_only_the_places_inside_the_bins_are_open() -> None:
    axis = axis_of(PAY)
    found = mean_interval(Average(TRUE.astype(float), 0.0), axis, alone(axis))
    edges = np.array(axis.edges)
    assert found.low == pytest.approx(TRUE[:5] @ edges[:-1] / TRUE.sum())
    assert found.high == pytest.approx(TRUE[:5] @ edges[1:] / TRUE.sum())
    assert found.inside == pytest.approx(found.high - found.low)
    assert found.bin == "5,000 to 250,000" and 0.5 < found.share < 1


def test_counts_that_are_no_more_than_noise_leave_the_whole_range() -> None:
    axis = axis_of(PAY)
    found = mean_interval(Average(np.full(6, 10.0), 50.0**2), axis, alone(axis))
    assert (found.low, found.high) == (0.0, 250_000.0)


def test_a_tail_in_one_wide_bin_is_told_with_what_narrows_it() -> None:
    values = drawn(PAY, TRUE)
    (said,) = flags_of(PAY, TRUE, values)
    open_to = mean_interval(Average(TRUE.astype(float), 25.0), axis_of(PAY), alone(axis_of(PAY)))
    mean, low, high = map(about, (values.mean(), open_to.low, open_to.high))
    assert f"Do not rely on the mean of column 'pay': it is about {mean} in" in said
    assert f"the measurements allow any value from about {low} to about {high}." in said
    assert "inside the bin 5,000 to 250,000" in said and "cut points in this range" in said


def test_noise_far_out_is_told_as_noise() -> None:
    column = Column(name="pay", kind=Kind.DECIMAL, min=0, max=250_000, cuts=(50, 1000, 5000))
    empty = np.array([15_000, 5_000, 0, 0, 0])
    (said,) = flags_of(column, empty, drawn(column, empty), sigma=60)
    assert "The main reason is noise" in said and "a larger share of the budget" in said


@pytest.mark.parametrize(
    "column, counts",
    [
        (Column(name="pay", kind=Kind.INTEGER, min=0, max=99, bins=20), np.array([100] * 20 + [0])),
        (Column(name="pay", kind=Kind.DECIMAL, min=-50, max=50, bins=20), np.array([100] * 20 + [0])),
        (
            Column(name="pay", kind=Kind.DECIMAL, min=0, max=2000, cuts=(50, 100, 200, 400, 1000)),
            np.array([900, 800, 600, 300, 60, 9, 0]),
        ),
    ],
)
def test_a_column_whose_bins_tell_its_mean_is_left_alone(column: Column, counts: np.ndarray) -> None:
    assert flags_of(column, counts, drawn(column, counts), sigma=2) == []
