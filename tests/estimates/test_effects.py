from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.core.measurements.interactions import contrasted, squared_lengths
from synth.core.measurements.joined import tables_of
from synth.core.measurements.noisy import Measurement, NoisyNumbers
from synth.estimates.effects import Pool
from tests.models.examples import measurement

DOMAIN = Domain(("a", "b", "c"), (3, 2, 4))
SIGMAS = {("a", "b"): 2, ("b", "c"): 7, ("a",): 1, ("a", "b", "c"): 11, ("c",): 3}


def measured(rng: np.random.Generator, *, without: tuple[Clique, ...] = ()) -> list[Measurement]:
    return [
        measurement(clique, rng.integers(-20, 60, DOMAIN.shape(clique)), Fraction(sigma) ** 2)
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
    return solved(
        [marginal_matrix(m.clique) / m.sigma for m in measurements],
        [m.counts.ravel() / m.sigma for m in measurements],
        clique,
    )


def solved(rows: list[np.ndarray], values: list[np.ndarray], clique: Clique) -> tuple[np.ndarray, np.ndarray]:
    a, y = np.vstack(rows), np.concatenate(values)
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


def contrasts_matrix(clique: Clique) -> np.ndarray:
    shape = DOMAIN.shape(clique)
    cells = np.eye(DOMAIN.size(clique), dtype=np.int64)
    return np.array([contrasted(cell.reshape(shape)).ravel() for cell in cells]).T @ marginal_matrix(clique)


@pytest.mark.parametrize("clique", [("b", "c"), ("a", "b"), ("a",), ("b",), ("c",)])
@pytest.mark.parametrize("again", [False, True])
def test_with_interactions_it_is_dense_least_squares_too(clique: Clique, again: bool) -> None:
    """Of numbers so large that rounding the joined tables does not count; the interactions are what is
    noisiest in them, so that they have the variance that is told."""
    rng, large = np.random.default_rng(8), 10**7
    tables = [
        measurement(name, large * rng.integers(-20, 60, DOMAIN.shape(name)), v)
        for name, v in ((("a",), Fraction(1)), (("c",), Fraction(9)), (("a", "b"), Fraction(4)))
    ]
    pair = ("b", "c")
    requested = [
        NoisyNumbers(
            requested={"ask": "interaction", "clique": list(pair), "shape": list(DOMAIN.shape(pair))},
            values=large * rng.integers(-20, 60, [n - 1 for n in DOMAIN.shape(pair)]),
            variance=variance,
            units=1,
        )
        for variance in ((Fraction(400), Fraction(900)) if again else (Fraction(400),))
    ]
    pool = Pool(DOMAIN, list(tables_of([*tables, *requested], 5.0)))
    rows = [marginal_matrix(m.clique) / m.sigma for m in tables]
    values = [m.counts.ravel() / m.sigma for m in tables]
    for answer in requested:
        scale = answer.sigma * np.sqrt(squared_lengths(DOMAIN.shape(pair))).ravel()
        rows.append(contrasts_matrix(pair) / scale[:, None])
        values.append(answer.values.ravel() / scale)
    value, covariance = solved(rows, values, clique)
    np.testing.assert_allclose(pool.estimate(clique).ravel() / large, value / large, atol=1e-6)
    np.testing.assert_allclose(pool.covariance(clique), covariance, atol=1e-9)
    np.testing.assert_allclose(pool.cell_variance(clique), np.diag(covariance), atol=1e-9)
    np.testing.assert_allclose(pool.largest_eigenvalue(clique), np.linalg.eigvalsh(covariance)[-1])
    assert pool.is_joined(clique) == (clique == pair)


def test_a_joined_table_tells_nothing_of_what_is_inside_it() -> None:
    (column,) = (m for m in measured(np.random.default_rng(5)) if m.clique == ("a",))
    counts = np.zeros(DOMAIN.shape(("a", "b")), dtype=np.int64)
    whole = measurement(("a", "b"), counts, joined=True)
    pool = Pool(DOMAIN, [column, whole])
    np.testing.assert_array_equal(pool.average(("a",)).counts, column.counts)
    assert pool.supports(("a", "b")) and not pool.supports(("b",))


def test_rounding_of_joined_tables_moves_an_estimate_by_no_more_than_is_told() -> None:
    """Tables that are known to a thousandth of a count beside the same in whole counts. A pair of two codes
    each may be moved by as much as is told."""
    rng, fine = np.random.default_rng(0), 1000
    domain = Domain(("a", "b", "c"), (2, 2, 3))
    plain = [("a",), ("b",), ("c",), ("a", "c")]
    joined: list[Clique] = [("a", "b"), ("b", "c"), ("a", "b", "c")]
    stated = {("a", "b"): 2.0, ("b", "c"): 3.0, ("a", "b", "c"): 11.0, ("a", "c"): 0.0, ("b",): 0.0}

    def moved(numbers: dict[Clique, np.ndarray]) -> Iterator[tuple[Clique, float, float]]:
        exact, rounded = (
            Pool(
                domain,
                [
                    measurement(r, np.rint(counts / step).astype(np.int64), 4, joined=r in joined)
                    for r, counts in numbers.items()
                ],
            )
            for step in (1, fine)
        )
        for r in stated:
            off = float(np.abs(exact.estimate(r) / fine - rounded.estimate(r)).sum())
            yield r, off, rounded.rounded(r)

    for _ in range(50):
        numbers: dict[Clique, np.ndarray] = {r: fine * rng.integers(0, 90, domain.shape(r)) for r in plain}
        numbers |= {r: rng.integers(0, 90 * fine, domain.shape(r)) for r in joined}
        for r, off, limit in moved(numbers):
            assert limit == stated[r] and off <= limit + 1e-9 and (off > 1e-4) == (r in joined)
    numbers["a", "b"] = np.array([[501, 499], [499, 501]])
    worst = {r: off for r, off, _ in moved(numbers)}
    assert worst["a", "b"] > 0.99 * stated["a", "b"]
