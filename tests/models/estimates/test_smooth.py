import math
from itertools import pairwise

import numpy as np
import pytest

from synth.models.estimates.simplex import project_onto_simplex
from synth.models.estimates.smooth import segments, smooth


def test_segments_are_the_exact_posterior_over_all_ways_to_cut() -> None:
    """The expected value is computed by brute force over the 2^(n-1) ways to cut six cells, at the rate that
    the recursion chose.
    """
    counts, sigma = np.array([5.0, 9.0, 7.0, 30.0, 28.0, 4.0]), 4.0
    centre, spread = counts.mean(), max(counts.var(), sigma**2)
    best = None
    for rate in (0.02, 0.05, 0.1, 0.2, 0.4):
        whole, mean = 0.0, np.zeros(6)
        for cuts in range(32):
            edges = [0, *(i + 1 for i in range(5) if cuts >> i & 1), 6]
            weight, heights = 1.0, np.zeros(6)
            for a, b in pairwise(edges):
                n, s = b - a, (counts[a:b] - centre).sum()
                precision = n / sigma**2 + 1 / spread
                weight *= rate * (1 - rate) ** (n - 1) / math.sqrt(1 + n * spread / sigma**2)
                weight *= math.exp(0.5 * (s / sigma**2) ** 2 / precision)
                heights[a:b] = s / sigma**2 / precision
            whole, mean = whole + weight, mean + weight * heights
        if best is None or whole > best[0]:
            best = whole, mean / whole + centre
    assert best is not None
    np.testing.assert_allclose(segments(counts, sigma)[0], best[1], rtol=1e-10)


def test_the_divergence_is_that_of_the_mean() -> None:
    counts, sigma, step = np.array([5.0, 9.0, 7.0, 30.0, 28.0, 4.0, 5.0]), 3.0, 1e-5

    def slope(i: int) -> float:
        """Return the numerical derivative of one cell. The small step hardly changes the mean and the
        variance, which the recursion treats as fixed.
        """
        moved = counts.copy()
        moved[i] += step
        return float((segments(moved, sigma)[0][i] - segments(counts, sigma)[0][i]) / step)

    assert segments(counts, sigma)[1] == pytest.approx(sum(slope(i) for i in range(7)), rel=0.2)


def test_a_smooth_column_gets_nearer_and_spikes_are_left_alone() -> None:
    rng = np.random.default_rng(0)
    sigma, total = 30.0, 5000.0
    steps = np.repeat([80.0, 20.0, 100.0], 25)
    steps *= total / steps.sum()
    noisy = steps + rng.normal(0, sigma, 75)
    found = smooth(noisy, sigma, total=total, listed=75)
    plain = project_onto_simplex(noisy, total)
    assert np.abs(found - steps).sum() < 0.5 * np.abs(plain - steps).sum()
    assert found.sum() == pytest.approx(total) and (found >= 0).all()
    spikes = np.zeros(75)
    spikes[::9] = total / 9
    noisy = spikes + rng.normal(0, sigma, 75)
    found = smooth(noisy, sigma, total=total, listed=75)
    assert np.abs(found - spikes).sum() <= 1.05 * np.abs(project_onto_simplex(noisy, total) - spikes).sum()


def test_a_clear_column_is_the_nearest_possible_one() -> None:
    noisy = np.array([5000.0, -3.0, 8000.0, 40.0])
    found = smooth(noisy, 2.0, total=13_000.0)
    np.testing.assert_allclose(found, project_onto_simplex(noisy, 13_000.0), atol=4.0)


def test_a_column_that_noise_hides_is_nearly_even() -> None:
    """The closest possible column has a distance of about 1,400."""
    noisy = np.random.default_rng(0).normal(25.0, 500.0, 40)
    assert np.abs(smooth(noisy, 500.0, total=1000.0) - 25.0).sum() < 600.0


def test_heavy_cells_among_many_hidden_ones_stay_and_the_rest_shares() -> None:
    rng = np.random.default_rng(0)
    true = np.concatenate([[3000.0, 2000.0], rng.exponential(60.0, 100)])
    noisy = true + rng.normal(0, 200.0, true.size)
    found = smooth(noisy, 200.0, total=true.sum())
    plain = project_onto_simplex(noisy, true.sum())
    assert np.abs(found - true).sum() < 0.7 * np.abs(plain - true).sum()
    np.testing.assert_allclose(found[:2], true[:2], atol=600.0)
