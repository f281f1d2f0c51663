"""Test the posterior of single errors on releases drawn from a known law."""

import numpy as np
import pytest

from synth.estimates.likely_errors import Checked, Likely, likely_errors

ROWS, SD = 3_000.0, 0.035


def drawn(seed: int, pairs: int = 120) -> tuple[list[Checked], np.ndarray]:
    """Tables with errors near twice those of a random sample, measured with noise, and the true errors."""
    draw = np.random.default_rng(seed)
    tables, truth = [], []
    for _ in range(pairs):
        shape = draw.integers(2, 9, 2)
        shares = draw.dirichlet(np.full(shape.prod(), 0.5)).reshape(shape)
        sampled = 0.5 * np.sqrt(2 * shares / (np.pi * ROWS)).sum()
        true = 2.0 * sampled * draw.gamma(1 / 0.15, 0.15)
        noisy = true + SD * draw.standard_normal()
        tables.append(Checked(error=noisy, shares=shares, is_measured=True, bound=min(1.0, true + 3 * SD)))
        truth.append(true)
    return tables, np.array(truth)


def test_posteriors_are_nearer_the_truth_and_cover_it() -> None:
    """Five releases of 120 pairs: the share inside is about 0.95, with a standard deviation of 0.009."""
    inside, raw, likely, widths, expected, actual = [], [], [], [], 0.0, 0
    for seed in range(5):
        tables, truth = drawn(seed)
        found = likely_errors(tables, sd=SD, rows=ROWS)
        ends = np.array([one.interval(0.95) for one in found])
        inside += list((ends[:, 0] <= truth) & (truth <= ends[:, 1]))
        widths += list(ends[:, 1] - ends[:, 0])
        likely += [one.estimate - true for one, true in zip(found, truth, strict=True)]
        raw += [one.error - true for one, true in zip(tables, truth, strict=True)]
        expected += sum(one.above(0.06) for one in found)
        actual += int((truth > 0.06).sum())
    assert np.mean(inside) > 0.91
    assert np.mean(np.square(likely)) ** 0.5 < 0.6 * np.mean(np.square(raw)) ** 0.5
    assert np.mean(widths) < 0.7 * 2 * 1.96 * SD
    assert abs(expected - actual) < 0.3 * actual, "the measured errors give twice as many"


def test_an_error_that_the_prediction_misses_is_not_shrunken_away() -> None:
    tables, _ = drawn(3)
    missed = Checked(error=0.5, shares=tables[0].shares, is_measured=False)
    assert likely_errors([*tables, missed], sd=SD, rows=ROWS)[-1].estimate > 0.4


def test_probabilities_follow_from_the_published_quantiles() -> None:
    found = likely_errors(drawn(1)[0], sd=SD, rows=ROWS)[0]
    low, high = found.interval(0.9)
    assert found.above(low) == pytest.approx(0.95) and found.above(high) == pytest.approx(0.05)
    assert found.above(0.0) == 1.0 and found.above(1.0) == pytest.approx(0.0, abs=1e-3)
    assert found.upper(0.05) == pytest.approx(high)
    assert low < found.estimate < high
    again = Likely(estimate=found.estimate, quantiles=found.quantiles)
    assert again.interval(0.95) == found.interval(0.95)
