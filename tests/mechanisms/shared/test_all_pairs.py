from itertools import combinations

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.measurements.noisy import Measurement
from synth.mechanisms.shared.all_pairs import LEAST_PART, measure_all_pairs
from tests.mechanisms.examples import exact, problem_about

DOMAIN = Domain(tuple("abc"), (60, 6, 2))


def measured(rho: float, *, k: int = 2, **options: float | bool) -> tuple[Measurement, ...]:
    rng = np.random.default_rng(0)
    a = np.clip(rng.normal(25, 9, 3000), 0, 59).astype(np.int64)
    codes = np.stack([a, a // 10, rng.integers(0, 2, 3000)], axis=1)
    problem = problem_about(DOMAIN, k, ordered={"a": 60})
    return measure_all_pairs(exact(codes, DOMAIN, rho=rho), problem, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("rho", [1e-6, 0.01, 10.0])
def test_every_pair_is_asked_once_for_all_that_is_left(rho: float) -> None:
    answers = measured(rho)
    pairs = [m for m in answers if len(m.clique) == 2]
    assert [m.clique for m in pairs] == list(combinations(DOMAIN.names, 2))
    assert sum(m.units for m in answers) == pytest.approx(rho * 1e12, rel=1e-6, abs=10)
    spent = sum(m.units for m in pairs)
    assert all(m.units > LEAST_PART / 3 * spent / 3 for m in pairs)


def test_groups_widen_with_the_noise() -> None:
    sizes = [max(m.counts.shape[0] for m in measured(rho) if m.clique == ("a", "b")) for rho in (0.01, 10)]
    assert sizes[0] < sizes[1] <= 60


def test_a_workload_of_columns_gets_them_all_and_a_share_is_kept() -> None:
    assert {len(m.clique) for m in measured(0.1, k=1)} == {1}
    columns = sum(m.units for m in measured(0.1, columns_share=0.6) if len(m.clique) == 1)
    assert columns == pytest.approx(0.6 * 0.1e12, rel=1e-3)


@pytest.mark.parametrize("rho", [0.01, 10.0])
def test_pairs_cost_the_same_where_a_model_pools_their_noise(rho: float) -> None:
    prices = [m.units for m in measured(rho, evenly=True) if len(m.clique) == 2]
    assert max(prices) == pytest.approx(min(prices), rel=1e-6, abs=3)
    apart = [m.units for m in measured(rho) if len(m.clique) == 2]
    assert max(apart) > 1.2 * min(apart) and sum(apart) == pytest.approx(sum(prices), rel=1e-6, abs=10)
