import numpy as np
import pytest

from synth.core.domain import Domain
from synth.mechanisms.shared.columns_first import (
    PairAllocation,
    best_allocation,
    groups_of_at_least,
    independent_pairs,
    measure_columns,
    pairs_of,
)
from tests.exact import Exact
from tests.mechanisms.examples import exact, problem_about

DOMAIN = Domain(("a", "b"), (40, 3))
PROBLEM = problem_about(DOMAIN, ordered={"a": 40})
COLUMNS = {"a": np.full(40, 50.0), "b": np.array([1500.0, 400.0, 100.0])}


def source(rho: float) -> Exact:
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(0, 40, 2000), rng.choice(3, 2000, p=[0.75, 0.2, 0.05])], axis=1)
    return exact(codes, DOMAIN, rho=rho)


def test_columns_get_what_is_given_or_all_if_there_are_no_pairs() -> None:
    for given, pairs, wanted in ((0.4, True, 0.4), (0.0, False, 1.0)):
        answers, total, _ = measure_columns(source(0.1), PROBLEM, given=given, pairs=pairs)
        assert [m.clique for m in answers] == [("b",), ("a",), ("b",)]
        assert sum(m.units for m in answers) == pytest.approx(wanted * 0.1e12, rel=1e-3)
        assert total == pytest.approx(2000, rel=0.1)


def test_groups_hold_what_is_asked_of_them_and_pairs_multiply_their_columns() -> None:
    coarse = groups_of_at_least(DOMAIN, COLUMNS, PROBLEM, runs=200.0, heaps=10.0)
    assert coarse.coarse.sizes == (10, 3)
    expected = independent_pairs(coarse, COLUMNS, tuple(pairs_of(PROBLEM)), 2000.0)
    np.testing.assert_allclose(expected["a", "b"][0], COLUMNS["b"] / 10)


def test_the_best_allocation_is_coarser_where_noise_is_larger() -> None:
    sizes = []
    for rho in (1e-4, 1.0):
        found = best_allocation(
            source(rho),
            PROBLEM,
            COLUMNS,
            weights={("a", "b"): 1.0},
            errors={("a", "b"): 800.0},
            total=2000.0,
            typical=(1 / (2 * rho)) ** 0.5,
        )
        sizes.append(found.coarsening.coarse.sizes[0])
    assert sizes[0] < sizes[1]


def test_nothing_is_paid_for_a_pair_with_all_values_of_a_column_in_one_group() -> None:
    sizes = {"a": 4, "b": 3}
    for blind in ({}, {"a"}, {"b"}, {"a", "b"}):
        shares = {n: np.ones(1) if n in blind else np.full(size, 1 / size) for n, size in sizes.items()}
        allocation = PairAllocation(
            coarsening=groups_of_at_least(DOMAIN, COLUMNS, PROBLEM, runs=200.0, heaps=10.0),
            weights={("a", "b"): 2.0},
            errors={("a", "b"): 800.0},
            shares=shares,
            widths={"a": 0.0, "b": 0.0},
            total=2000.0,
            typical=10.0,
        )
        costs = allocation.costs(("a", "b"), 800.0)
        assert costs[-1] == 1600.0 and bool(costs.min() < 1600.0) is not bool(blind)
