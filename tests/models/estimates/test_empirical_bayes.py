import numpy as np
import pytest

from synth.models.estimates.empirical_bayes import posterior_means

SIGMA = 10.0


def test_cells_of_two_sizes_are_told_apart() -> None:
    rng = np.random.default_rng(0)
    true = np.where(rng.random(400) < 0.2, 40.0, 0.0)
    noisy = true + rng.normal(0, SIGMA, 400)
    found, _ = posterior_means(noisy, SIGMA)
    assert found.min() >= 0
    assert np.square(found - true).mean() < 0.6 * np.square(np.maximum(noisy, 0) - true).mean()


def test_their_divergence_estimates_their_error() -> None:
    """This is Stein's estimate over many draws of the noise, with a standard error of about 2%."""
    rng = np.random.default_rng(0)
    true = rng.exponential(20.0, 200)
    errors, estimates = [], []
    for _ in range(60):
        noisy = true + rng.normal(0, SIGMA, true.size)
        found, divergence = posterior_means(noisy, SIGMA)
        errors.append(np.square(found - true).sum())
        estimates.append(np.square(found - noisy).sum() + SIGMA**2 * (2 * divergence - true.size))
    assert np.mean(estimates) == pytest.approx(np.mean(errors), rel=0.1)
