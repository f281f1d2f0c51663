from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from synth.answers import Measurement
from synth.check.concentration import rounded_proxy
from synth.check.gls import Pool
from synth.domain import Clique, Domain
from synth.laws import GAUSSIAN, ZCDP

DOMAIN = Domain(("a", "b", "c"), (3, 2, 4))
SIGMAS = {("a", "b"): 2, ("b", "c"): 7, ("a",): 1, ("a", "b", "c"): 11, ("c",): 3}


def measured(rng: np.random.Generator, *, without: tuple[Clique, ...] = ()) -> list[Measurement]:
    return [
        Measurement(
            clique=clique,
            counts=rng.integers(-20, 60, DOMAIN.shape(clique)),
            variance=Fraction(sigma) ** 2,
            units=1,
        )
        for clique, sigma in [*SIGMAS.items(), (("a", "b"), 5)]
        if clique not in without
    ]


def marginal_matrix(clique: Clique) -> np.ndarray:
    cells = list(product(*(range(n) for n in DOMAIN.sizes)))
    rows = list(product(*(range(n) for n in DOMAIN.shape(clique))))
    axes = DOMAIN.axes(clique)
    return np.array([[tuple(cell[i] for i in axes) == row for cell in cells] for row in rows], dtype=float)


def dense(measurements: list[Measurement], clique: Clique) -> tuple[np.ndarray, np.ndarray]:
    """Weighted least squares on the full contingency table, and the covariance of the answer."""
    a = np.vstack([marginal_matrix(m.clique) / m.sigma for m in measurements])
    y = np.concatenate([m.counts.ravel() / m.sigma for m in measurements])
    to = marginal_matrix(clique) @ np.linalg.pinv(a)
    return to @ y, to @ to.T


@pytest.mark.parametrize("clique", [("a", "b", "c"), ("a", "b"), ("a", "c"), ("b",), ("c",)])
def test_estimate_and_covariance_are_those_of_dense_least_squares(clique: Clique) -> None:
    measurements = measured(np.random.default_rng(3))
    pool = Pool(DOMAIN, measurements)
    value, covariance = dense(measurements, clique)
    np.testing.assert_allclose(pool.estimate(clique).ravel(), value, atol=1e-10)
    np.testing.assert_allclose(pool.covariance(clique), covariance, atol=1e-10)
    np.testing.assert_allclose(pool.cell_variance(clique), np.diag(covariance), atol=1e-10)
    np.testing.assert_allclose(pool.largest_eigenvalue(clique), np.linalg.eigvalsh(covariance)[-1])


def test_chains_without_the_full_table_agree_with_dense_least_squares_too() -> None:
    measurements = measured(np.random.default_rng(4), without=(("a", "b", "c"),))
    pool = Pool(DOMAIN, measurements)
    assert not pool.supports(("a", "c"))
    for clique in [("a", "b"), ("b", "c"), ("b",)]:
        np.testing.assert_allclose(pool.estimate(clique).ravel(), dense(measurements, clique)[0], atol=1e-10)


def test_the_average_weighs_by_precision_and_ignores_tables_that_do_not_contain_it() -> None:
    measurements = measured(np.random.default_rng(5))
    average = Pool(DOMAIN, measurements).average(("b", "c"))
    wide = next(m for m in measurements if len(m.clique) == 3)
    pair = next(m for m in measurements if m.clique == ("b", "c"))
    precisions = np.array([1 / 49, 1 / (3 * 121)])
    np.testing.assert_allclose(average.variance, 1 / precisions.sum())
    stacked = np.stack([pair.counts, wide.counts.sum(axis=0)])
    np.testing.assert_allclose(average.counts, np.tensordot(precisions, stacked, 1) / precisions.sum())


def test_least_squares_is_never_noisier_than_the_average() -> None:
    pool = Pool(DOMAIN, measured(np.random.default_rng(6)))
    for clique in [("a",), ("b",), ("a", "b"), ("a", "c"), ("a", "b", "c")]:
        assert pool.cell_variance(clique) <= pool.average(clique).variance * (1 + 1e-12)


def test_what_nothing_supports_has_no_estimate() -> None:
    pool = Pool(DOMAIN, measured(np.random.default_rng(7), without=(("a", "b", "c"),)))
    with pytest.raises(ValueError, match="no measurement"):
        pool.estimate(("a", "c"))


def test_answers_in_coarser_codes_are_left_out() -> None:
    coarse = Measurement(
        clique=("a",), counts=np.array([5, 5]), variance=Fraction(1), units=1, groups={"a": (0, 1, 1)}
    )
    assert not Pool(DOMAIN, [coarse]).supports(("a",))


def test_rounded_noise_counts_with_its_proxy() -> None:
    domain, counts = Domain(("a",), (3,)), np.zeros(3, dtype=np.int64)
    for law, variance in ((ZCDP, 4.0), (GAUSSIAN, rounded_proxy(4.0))):
        m = Measurement(clique=("a",), counts=counts, variance=Fraction(4), units=1, law=law)
        assert Pool(domain, [m]).average(("a",)).variance == pytest.approx(variance)
