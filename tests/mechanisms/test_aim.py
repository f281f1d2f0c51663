from itertools import pairwise

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.core.graphs.workload import Workload
from synth.mechanisms.aim import AIM
from synth.mechanisms.shared.base import Fitted, Problem
from tests.mechanisms.examples import fit, problem_about

DOMAIN = Domain(tuple("abcde"), (4, 4, 4, 3, 3))


def rows() -> np.ndarray:
    """Return rows in which a influences b strongly and c weakly. Columns d and e are independent."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, 4000)
    b = np.where(rng.random(4000) < 0.9, a, rng.integers(0, 4, 4000))
    c = np.where(rng.random(4000) < 0.2, a, rng.integers(0, 4, 4000))
    return np.stack([a, b, c, rng.integers(0, 3, 4000), rng.integers(0, 3, 4000)], axis=1)


def fitted(rho: float, problem: Problem | None = None, **options: float) -> Fitted:
    return fit(AIM(**options), rows(), DOMAIN, rho, problem)


def test_the_strongest_relation_is_measured_first() -> None:
    result = fitted(0.1)
    pairs = [c.clique for c in result.evidence.choices if len(c.clique) == 2]
    assert pairs[0] == ("a", "b")


def test_one_ways_cost_their_planned_share_before_the_first_round() -> None:
    first = [m for m in fitted(0.1).evidence.measurements][:5]
    assert [m.clique for m in first] == [("a",), ("b",), ("c",), ("d",), ("e",)]
    for m in first:
        assert m.rho == pytest.approx(0.9 * 0.1 / 80, rel=1e-6)


def test_every_round_keeps_the_paper_s_split_and_annealing_quadruples_the_price() -> None:
    result = fitted(0.05)
    rounds = list(zip(result.evidence.choices, result.evidence.measurements[5:], strict=True))
    for choice, measured in rounds:
        assert choice.clique == measured.clique
        assert measured.rho == pytest.approx(9 * choice.units * 1e-12, rel=1e-6)
    prices = [c.units for c, _ in rounds]
    steps = {round(b / a, 3) for a, b in pairwise(prices[:-1])}
    assert steps <= {1.0, 4.0} and 4.0 in steps


def test_the_model_never_outgrows_its_capacity() -> None:
    assert fitted(50.0, capacity_mb=0.0004).model.cells <= 0.0004 * 2**17  # type: ignore[attr-defined]
    assert fitted(50.0).model.cells > 0.0004 * 2**17  # type: ignore[attr-defined]


def test_a_candidate_that_cannot_win_is_not_asked_about() -> None:
    choices = fitted(1e-6).evidence.choices
    assert all(len(r) == 1 for r in choices[0].score.cliques)


def test_too_few_rounds_are_refused_before_anything_is_spent() -> None:
    with pytest.raises(Mistake, match="3 rounds are too few"):
        fitted(0.1, rounds=3)


def test_a_column_without_weight_is_measured_once_and_never_chosen() -> None:
    without_b = Workload.all_kway(DOMAIN, 2, column_weights={"b": 0.0})
    result = fitted(0.1, problem_about(DOMAIN, workload=without_b))
    assert [m.clique for m in result.evidence.measurements if "b" in m.clique] == [("b",)]
    pairs = [c.clique for c in result.evidence.choices if len(c.clique) == 2]
    assert pairs[0] == ("a", "c")
