import numpy as np

from synth.bench.tables.gauss import Equicorrelated


def test_every_pair_has_the_stated_correlation_and_every_column_is_standard() -> None:
    sample = Equicorrelated(rows=40_000, columns=6).draw(np.random.default_rng(0))
    wanted = np.full((6, 6), 0.8)
    np.fill_diagonal(wanted, 1.0)
    assert np.abs(np.cov(sample.T) - wanted).max() < 7 * np.sqrt(2 / 40_000)
    assert np.abs(sample.mean(axis=0)).max() < 7 / np.sqrt(40_000)
