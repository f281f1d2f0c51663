"""Columns and pairs of a public starting table, adjusted to noisy columns."""

from fractions import Fraction

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.models.estimates.starting import in_groups, starting_pairs, towards_start

DOMAIN = Domain(("a", "b"), (8, 5))


def drawn(shift: float, rows: int = 4000) -> np.ndarray:
    rng = np.random.default_rng(3)
    a = np.minimum(rng.poisson(2 + shift, rows), 7)
    return np.stack([a, np.minimum((a + rng.integers(0, 3, rows)) // 2, 4)], axis=1)


@pytest.mark.parametrize(
    ("sigma", "shift", "better"), [(300.0, 0.0, 0.3), (300.0, 0.05, 0.6), (30.0, 3.0, 1.1)]
)
def test_a_right_start_replaces_the_noise_and_a_wrong_one_does_no_harm(
    sigma: float, shift: float, better: float
) -> None:
    """The test compares the mean squared error of a hundred noisy columns with the variance of the noise."""
    rng, start, rows = np.random.default_rng(4), drawn(0.0), drawn(shift)
    errors = []
    for _ in range(100):
        found, true = {}, {}
        for place, name in enumerate(DOMAIN.names):
            true[name] = np.bincount(rows[:, place], minlength=DOMAIN.sizes[place])
            found[name] = true[name] + rng.normal(0, sigma, DOMAIN.sizes[place]), Fraction(sigma) ** 2
        shrunk = towards_start(found, start, DOMAIN, 4000.0)
        assert all(0 < variance <= found[name][1] for name, (_, variance) in shrunk.items())
        errors.append(np.mean([np.square(shrunk[n][0] - true[n]).mean() for n in true]) / sigma**2)
    assert np.mean(errors) < better


def test_pairs_have_the_noisy_columns_and_the_relations_of_the_start() -> None:
    start = drawn(0.0)
    columns = [np.full(8, 100.0), np.array([500.0, 150.0, 100.0, 40.0, 10.0])]
    table = starting_pairs(DOMAIN, start, columns, [(0, 1)])[0, 1]
    assert np.allclose(table.sum(axis=0), columns[1], rtol=1e-3) and table.sum() == pytest.approx(800)
    own = [np.bincount(start[:, i], minlength=n).astype(float) for i, n in enumerate(DOMAIN.sizes)]
    same = starting_pairs(DOMAIN, start, own, [(0, 1)])[0, 1]
    seen = np.zeros(DOMAIN.sizes)
    np.add.at(seen, tuple(start.T), 1)
    assert np.abs(same - seen).sum() < 0.02 * len(start)


def test_a_small_start_without_relations_is_independent() -> None:
    rng = np.random.default_rng(5)
    start = np.stack([rng.integers(0, 8, 60), rng.integers(0, 5, 60)], axis=1)
    columns = [np.full(8, 50.0), np.full(5, 80.0)]
    table = starting_pairs(DOMAIN, start, columns, [(0, 1)])[0, 1]
    seen = np.zeros(DOMAIN.sizes)
    np.add.at(seen, tuple(start.T), 400 / 60)
    assert np.abs(table - 10).sum() < 0.6 * np.abs(seen - 10).sum()


def test_rows_in_groups() -> None:
    rows = in_groups(np.array([[0, 4], [7, 1]]), DOMAIN, {"a": (0, 0, 0, 0, 1, 1, 1, 1)})
    assert rows.tolist() == [[0, 4], [1, 1]]
