"""The first pass of Grove and Blend: columns, then scores of all pairs."""

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.mechanisms.blend import Blend
from synth.mechanisms.blend.constants import FINE, FINE_OF_ERROR, LEAST_SCORING, MOST_SCORING
from synth.mechanisms.blend.first_pass import FirstPass, first_pass, likely_scoring
from synth.mechanisms.shared.base import Prospect
from tests.mechanisms.examples import exact, problem_about

DOMAIN = Domain(tuple("abcd"), (4, 4, 3, 2))
ROWS = 4000


def passed(rho: float, *, k: int = 2, columns_share: float = 0.0, looking_share: float = 0.0) -> FirstPass:
    """Run the first pass on a table in which b nearly equals a and no other columns are related."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, DOMAIN.sizes, (ROWS, 4))
    rows[:, 1] = np.where(rng.random(ROWS) < 0.8, rows[:, 0], rows[:, 1])
    source = exact(rows, DOMAIN, rho=rho)
    problem = problem_about(DOMAIN, k)
    seen = first_pass(source, problem, columns_share=columns_share, looking_share=looking_share)
    spent = sum(a.units for a in seen.measured) / 1e12 + sum(s.units for s in seen.scores) / 1e12
    assert spent == pytest.approx(rho - source.left.rho)
    return seen


def test_every_pair_is_scored_and_the_related_one_stands_out() -> None:
    seen = passed(1.0)
    (scores,) = seen.scores
    values = dict(zip(seen.expected, scores.values, strict=True))
    assert set(values) == set(seen.weights) and len(values) == 6
    assert max(values, key=lambda r: values[r]) == ("a", "b")
    assert values["a", "b"] > 4 * max(v for r, v in values.items() if r != ("a", "b"))
    assert seen.total == pytest.approx(ROWS, rel=0.01) and set(seen.columns) == set(DOMAIN.names)


def test_given_shares_are_kept() -> None:
    seen = passed(1.0, columns_share=0.3, looking_share=0.2)
    assert sum(m.units for m in seen.measured) / 1e12 == pytest.approx(0.3, rel=0.02)
    assert seen.scores[0].units / 1e12 == pytest.approx(0.2, rel=1e-6)


def test_scores_cost_a_twentieth_and_less_if_that_is_fine_enough() -> None:
    assert passed(0.01).scores[0].units / 1e12 == pytest.approx(MOST_SCORING * 0.01, rel=1e-6)
    domain = Domain(tuple("abc"), (40, 40, 40))
    rows = np.random.default_rng(0).integers(0, 40, (ROWS, 3))
    problem = problem_about(domain)
    (scores,) = first_pass(exact(rows, domain, rho=10.0), problem).scores
    assert scores.sigma == pytest.approx(FINE * ROWS, rel=0.02) and scores.units < 0.002 * 10e12
    said = Blend().choosing_pass(Prospect(sizes=domain.sizes, rows=ROWS, sigma=0.05**0.5))
    assert said == pytest.approx(scores.units / 10e12, rel=0.02)


def test_scores_of_many_records_are_as_fine_as_the_measurements_after_them() -> None:
    sizes, pairs, sigma = (7,) * 14, 91, 0.7
    for rows in (1e8, 1e9):
        noise = sigma * np.sqrt(pairs / likely_scoring(sizes, total=rows, sigma=sigma))
        error = 49 * np.sqrt(2 / np.pi) * sigma * np.sqrt(0.4 * pairs)
        assert noise == pytest.approx(FINE_OF_ERROR * error)
    assert likely_scoring((15,), total=100.0, sigma=sigma) == 0
    assert likely_scoring((2,) * 15 + (5000,), total=1e6, sigma=4.0) == MOST_SCORING
    assert likely_scoring((1600, 1600), total=1e9, sigma=0.1) == LEAST_SCORING


def test_noisy_columns_leave_scores_their_share_and_pairs_some() -> None:
    """With this much noise, the columns alone would use more budget than the scores leave."""
    seen = passed(1e-6, looking_share=0.5)
    assert seen.scores[0].units == 500_000
    assert sum(m.units for m in seen.measured) == pytest.approx(450_000, abs=10)
    assert np.isfinite(seen.typical)


def test_sampling_moves_a_scored_pair_by_at_most_a_third_of_the_records() -> None:
    """There is almost no noise, and each of 64 codes has about 60 records, so a pair of codes has about one
    record.
    """
    domain, rng = Domain(("a", "b"), (64, 64)), np.random.default_rng(0)
    rows = rng.integers(0, 64, (ROWS, 2))
    source = exact(rows, domain, rho=1e4)
    problem = problem_about(domain, ordered=dict.fromkeys("ab", 64))
    seen = first_pass(source, problem)
    chance = np.sqrt(2 / np.pi * seen.expected["a", "b"]).sum()
    assert ROWS / 6 < chance <= ROWS / 3
    assert 0 < seen.scores[0].values[0] <= ROWS / 3


def test_without_pairs_nothing_is_scored() -> None:
    seen = passed(1.0, k=1)
    assert not seen.weights and not seen.scores and seen.typical == np.inf
