"""A Gaussian copula fitted to noisy pairs."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from synth.core.domain import Domain
from synth.models.coarse import Coarsening
from synth.models.copula.correlations import copula_tables, fit_correlations
from synth.models.targets import NoisyTable, Pair, Targets

TOTAL = 50_000.0


def targets(
    columns: list[np.ndarray], pairs: dict[Pair, NoisyTable], ordered: bool = True, total: float = TOTAL
) -> Targets:
    domain = Domain(tuple(f"x{i}" for i in range(len(columns))), tuple(len(c) for c in columns))
    return Targets(
        coarsening=Coarsening(domain, ()),
        total=total,
        columns=tuple(c * total for c in columns),
        sigmas=(1.0,) * len(columns),
        pairs=pairs,
        zeros=(),
        ordered={name: size for name, size in zip(domain.names, domain.sizes, strict=True) if ordered},
    )


def cells_of(p: np.ndarray, q: np.ndarray, rho: float) -> np.ndarray:
    """Return the cell shares of two grouped normal variables, by the bivariate distribution function."""
    law = multivariate_normal(mean=[0, 0], cov=[[1, rho], [rho, 1]])
    rows, columns = (np.clip(norm.ppf(np.concatenate([[0], np.cumsum(x)])), -9, 9) for x in (p, q))
    below = np.array([[law.cdf([a, b]) for b in columns] for a in rows])
    return np.diff(np.diff(below, axis=0), axis=1)


P, Q = np.array([0.1, 0.2, 0.4, 0.3]), np.array([0.5, 0.3, 0.2])


@pytest.mark.parametrize("rho", [-0.7, 0.0, 0.4, 0.9])
def test_the_series_is_the_law_of_cut_normal_variables(rho: float) -> None:
    exact = cells_of(P, Q, rho)
    stated = targets([P, Q], {(0, 1): NoisyTable(exact * TOTAL, 1.0)})
    fitted = fit_correlations(stated)
    assert abs(fitted.matrix[0, 1] - rho) < 0.01
    table = copula_tables(stated, fitted)[0, 1]
    np.testing.assert_allclose(table.sum(axis=1), P * TOTAL, rtol=1e-9)
    np.testing.assert_allclose(table / TOTAL, exact, atol=0.004)


def test_a_correlation_is_found_within_the_noise_it_claims() -> None:
    exact, rng, off = cells_of(P, Q, 0.3) * TOTAL, np.random.default_rng(0), []
    for _ in range(200):
        noisy = NoisyTable(exact + rng.normal(0, 300, exact.shape), 300.0)
        fitted = fit_correlations(targets([P, Q], {(0, 1): noisy}))
        assert fitted.sigmas[0, 1] < 0.1
        off.append((fitted.matrix[0, 1] - 0.3) / fitted.sigmas[0, 1])
    assert 0.7 < np.std(off) < 1.5


def test_factors_fill_pairs_that_were_not_measured() -> None:
    even, d, rho = np.full(5, 0.2), 10, 0.6
    table = NoisyTable(cells_of(even, even, rho) * TOTAL, 20.0)
    measured = {pair: table for pair in combinations(range(d), 2) if pair not in ((0, 1), (4, 7))}
    fitted = fit_correlations(targets([even] * d, measured))
    assert np.isinf(fitted.sigmas[0, 1]) and fitted.matrix[0, 1] == pytest.approx(rho, abs=0.05)
    assert fitted.matrix[4, 7] == pytest.approx(rho, abs=0.05)
    assert np.linalg.eigvalsh(fitted.matrix).min() > 0
    assert set(copula_tables(targets([even] * d, measured), fitted)) == set(combinations(range(d), 2))


def test_noise_alone_makes_no_correlation() -> None:
    even, rng = np.full(4, 0.25), np.random.default_rng(1)
    pairs = {
        pair: NoisyTable(TOTAL / 16 + rng.normal(0, 100, (4, 4)), 100.0) for pair in combinations(range(8), 2)
    }
    fitted = fit_correlations(targets([even] * 8, pairs))
    off = fitted.matrix[np.triu_indices(8, 1)]
    assert np.abs(off).max() < 3 * fitted.sigmas[0, 1]


def test_without_pairs_columns_are_independent() -> None:
    fitted = fit_correlations(targets([P, Q], {}))
    np.testing.assert_array_equal(fitted.matrix, np.eye(2))
    np.testing.assert_allclose(copula_tables(targets([P, Q], {}), fitted)[0, 1], np.outer(P, Q) * TOTAL)


def test_codes_nobody_declared_in_order_are_put_on_an_axis_by_their_relations() -> None:
    """A column with shuffled codes has the same correlations as before with the columns that determine its
    order.
    """
    even, shuffle = np.full(6, 1 / 6), np.array([3, 0, 5, 1, 4, 2])
    table = cells_of(even, even, 0.7) * TOTAL
    measured = {
        (0, 1): NoisyTable(table[shuffle], 5.0),
        (0, 2): NoisyTable(table[shuffle], 5.0),
        (1, 2): NoisyTable(table, 5.0),
    }
    stated = targets([even] * 3, measured, ordered=False)
    stated.ordered["x1"] = stated.ordered["x2"] = 6  # type: ignore[index]
    fitted = fit_correlations(stated)
    assert abs(fitted.matrix[0, 1]) == pytest.approx(0.7, abs=0.03)
    along = shuffle[fitted.orders[0]]
    assert along.tolist() in ([0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0])
    assert fitted.orders[1].tolist() == list(range(6))
