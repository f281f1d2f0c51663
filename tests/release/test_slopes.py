"""Straight densities inside bins: nearer to a smooth column than even ones, and no further from another."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from synth.core.axis import Grouping
from synth.core.discretisation import axis_of
from synth.core.schema import Column, Kind
from synth.release.decode import decode
from synth.release.slopes import falling, leaning, places, steepness, tilts

ROWS = 200_000
LEVELS = 100
WIDE = Column(name="x", kind=Kind.DECIMAL, min=-4, max=4, bins=20)


def levels(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares of a hundred equal levels from -4 to 4."""
    found = np.clip(((values + 4) * (LEVELS / 8)).astype(np.int64), 0, LEVELS - 1)
    return np.bincount(found, minlength=LEVELS) / len(values)


def gaps(masses: NDArray[np.float64], truth: NDArray[np.float64], seed: int) -> list[tuple[float, float]]:
    """Total variation and Kolmogorov distance over a hundred levels: as decoded, and filled evenly."""
    axis, rng = axis_of(WIDE), np.random.default_rng(seed)
    codes = np.repeat(np.arange(axis.cells), masses.astype(np.int64))
    leaning = decode(codes[:, None], [axis], rng)["x"].to_numpy(dtype=np.float64)
    even = -4 + 0.4 * (codes + rng.random(len(codes)))
    found = [levels(v) - truth for v in (leaning, even)]
    return [(0.5 * float(np.abs(g).sum()), float(np.abs(g.cumsum()).max())) for g in found]


def binned(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.bincount(((values + 4) / 0.4).astype(np.int64), minlength=20).astype(np.float64)


def test_a_smooth_column_comes_out_far_nearer_than_from_even_bins() -> None:
    values = np.clip(np.random.default_rng(1).standard_normal(ROWS), -4, 3.999)
    leaning, even = gaps(binned(values), levels(values), seed=1)
    assert leaning[0] < 0.4 * even[0] and leaning[1] < 0.4 * even[1]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1000), st.floats(0.01, 100)), min_size=1, max_size=12))
def test_a_line_is_nowhere_negative_and_ends_between_its_neighbours(bins: list[tuple[int, float]]) -> None:
    masses = np.array([m for m, _ in bins], dtype=np.float64)
    edges = np.concatenate([[0.0], np.cumsum([w for _, w in bins])])
    tilt, density = tilts(masses, edges), masses / np.diff(edges)
    assert np.all(np.abs(tilt) <= 1)
    for i in range(1, len(masses) - 1):
        low, high = sorted((density[i - 1], density[i + 1]))
        ends = density[i] * (1 + tilt[i] * np.array([-1, 1]))
        if tilt[i]:
            assert np.all((low - 1e-6 * high <= ends) & (ends <= high * (1 + 1e-6)))


def test_places_have_the_density_they_should() -> None:
    even = (np.arange(10_000) + 0.5) / 10_000
    for tilt in (-1.0, -0.3, 0.0, 1e-12, 0.7, 1.0):
        z = places(even, np.full_like(even, tilt))
        np.testing.assert_allclose((1 - tilt) * z + tilt * z**2, even, atol=1e-12)
    assert places(np.zeros(1), np.ones(1)) == 0.0


def test_a_trees_leaf_is_drawn_back_along_the_slope_and_keeps_its_mass() -> None:
    axis = axis_of(Column(name="x", kind=Kind.INTEGER, min=0, max=29))
    groups = (*(i // 10 for i in range(30)), 3)
    grouping = Grouping(column="x", group_of=groups, weights=(1.0,) * 31)
    weights = np.array(leaning(grouping, axis, (100.0, 200.0, 300.0, 7.0)).weights)
    assert np.all(np.diff(weights[10:20]) > 0) and weights[30] == 1.0
    np.testing.assert_allclose([weights[10 * i : 10 * i + 10].sum() for i in range(3)], 10.0)


def test_a_tail_in_one_wide_bin_falls_off_as_it_does_between_the_bins() -> None:
    """A log-normal column, its tail above 5,000 in one bin up to 250,000: drawn along a line few of its
    records lie below 10,000, though most of them do."""
    x = np.exp(np.random.default_rng(1).normal(4.2, 1.8, ROWS))
    edges = np.array([0.0, 20, 50, 100, 200, 500, 1000, 5000, 250_000])
    masses = np.histogram(np.clip(x, 0, 250_000), edges)[0].astype(float)
    rate, tilt = steepness(masses, edges), tilts(masses, edges)
    even = (np.arange(1000) + 0.5) / 1000
    tail = 5000 + 245_000 * falling(even, np.full(1000, rate[-1]))
    line = 5000 + 245_000 * places(even, np.full(1000, tilt[-1]))
    truth = x[x >= 5000].mean()
    assert rate[-1] < 0 and not rate[1:-1].any()
    assert abs(tail.mean() - truth) < 0.5 * truth < abs(line.mean() - truth) / 10
