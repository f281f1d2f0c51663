import math

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.mechanisms.privmrf import PrivMRF
from synth.mechanisms.shared.base import Fitted, Problem
from synth.private.scores import InDif, L1Gap
from tests.mechanisms.examples import fit

DOMAIN = Domain(tuple("abcdef"), (3, 3, 3, 3, 3, 2))
D = len(DOMAIN)
MORE = int(0.8 * D)


def rows() -> np.ndarray:
    """Return rows in which c is often the sum of a and b modulo 3, which no pair shows. Column d depends on
    a, and e and f are independent.
    """
    rng = np.random.default_rng(0)
    a, b, noise = rng.integers(0, 3, (3, 6000))
    a = np.where(rng.random(6000) < 0.5, 0, a)
    c = np.where(rng.random(6000) < 0.9, (a + b) % 3, noise)
    d = np.where(rng.random(6000) < 0.7, a, noise)
    return np.stack([a, b, c, d, rng.integers(0, 3, 6000), rng.integers(0, 2, 6000)], axis=1)


def fitted(rho: float, problem: Problem | None = None, **options: float) -> Fitted:
    return fit(PrivMRF(**options), rows(), DOMAIN, rho, problem)


def wide(result: Fitted) -> list[Clique]:
    return [m.clique for m in result.evidence.measurements if len(m.clique) > 1]


def test_the_number_of_records_is_paid_for_before_anything_depends_on_it() -> None:
    result = fitted(0.5)
    assert [m.clique for m in result.evidence.measurements[:D]] == [(c,) for c in "abcdef"]
    assert sum(m.rho for m in result.evidence.measurements[:D]) == pytest.approx(0.05 * 0.5)
    assert all(m.step < result.evidence.scores[0].step for m in result.evidence.measurements[:D])


def test_scores_cost_a_tenth_for_pairs_and_a_tenth_for_all_steps() -> None:
    pairs, *steps = fitted(0.5).evidence.scores
    assert isinstance(pairs.score, InDif) and len(pairs.score.cliques) == 15
    assert pairs.units == pytest.approx(0.1 * 0.5 * 1e12)
    assert steps and all(isinstance(s.score, L1Gap) for s in steps)
    assert sum(s.units for s in steps) == pytest.approx(0.1 * 0.5 * 1e12, rel=1e-6)


def test_wide_marginals_are_chosen_where_columns_hang_together() -> None:
    assert any({"a", "b", "c"} <= set(r) for r in wide(fitted(0.5)))


def test_no_measured_marginal_is_useless_or_too_wide() -> None:
    for rho in (0.001, 0.01, 0.5):
        noise = math.sqrt(2 / math.pi) * math.sqrt((D + MORE) / (2 * 0.75 * rho))
        for r in wide(fitted(rho, arity=3)):
            assert DOMAIN.size(r) * 6 * noise <= 6000 and len(r) <= 3
    assert max(map(len, wide(fitted(0.5)))) > 3


@pytest.mark.parametrize("arity, capacity_mb, runs_out", [(2, 8.0, False), (3, 0.001, True)])
def test_marginals_have_one_price_and_are_repeated_at_the_end(
    arity: int, capacity_mb: float, runs_out: bool
) -> None:
    result = fitted(0.5, arity=arity, capacity_mb=capacity_mb)
    tables = result.evidence.measurements[D:]
    once = len({m.clique for m in tables})
    assert len({m.units for m in tables[:once]}) == 1
    again = [m.clique for m in tables[once:]]
    assert again == ([m.clique for m in tables[:once]] if runs_out else [])


def test_the_furthest_off_of_what_was_asked_is_measured() -> None:
    result = fitted(0.5)
    for requested in result.evidence.scores[1:]:
        after = [m.clique for m in result.evidence.measurements if m.step > requested.step]
        assert requested.score.cliques[int(np.argmax(requested.values))] == after[0]
