import math

import numpy as np
import pytest

from synth.core.domain import Clique
from synth.mechanisms.selection.candidates import MOST_INSIDE, WeightedCandidates


def anything(clique: Clique) -> bool:
    return True


def test_candidates_are_the_useful_parts_of_cliques() -> None:
    pool = WeightedCandidates.inside([("a", "b", "c"), ("c", "d")], lambda r: r != ("a", "c"), arity=3)
    assert set(pool.weights) == {("a", "b"), ("b", "c"), ("a", "b", "c"), ("c", "d")}
    assert set(WeightedCandidates.inside([("a", "b", "c")], anything, arity=2).weights) == {
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    }


def test_a_candidate_weighs_by_its_largest_clique_shared_by_all_inside() -> None:
    weights = WeightedCandidates.inside([("a", "b"), ("a", "b", "c")], anything, arity=3).weights
    assert weights["a", "b"] == pytest.approx(4.0)
    assert weights["b", "c"] == pytest.approx(9 / 4)


def test_the_widest_are_left_out_where_there_are_too_many() -> None:
    weights = WeightedCandidates.inside([tuple(f"c{i:02}" for i in range(25))], anything, arity=6).weights
    assert len(weights) == MOST_INSIDE
    assert sum(len(r) == 4 for r in weights) == math.comb(25, 4)
    assert max(map(len, weights)) == 5


def test_what_a_measured_marginal_holds_is_gone() -> None:
    pool = WeightedCandidates.inside([tuple("abcd")], anything, arity=4).without([("a", "b", "c")])
    assert all("d" in r for r in pool.weights) and ("a", "b", "d") in pool.weights
    assert len(pool.without([tuple("abcd")])) == 0


def test_draws_are_different_and_follow_the_weights() -> None:
    pool = WeightedCandidates({("a", "b"): 3.0, ("a", "c"): 1.0})
    rng = np.random.default_rng(0)
    assert sorted(pool.draw(5, rng)) == [("a", "b"), ("a", "c")]
    first = sum(pool.draw(1, rng) == (("a", "b"),) for _ in range(4000))
    assert abs(first - 3000) < 7 * (4000 * 0.75 * 0.25) ** 0.5


def test_halving_halves_the_named_and_no_other() -> None:
    pool = WeightedCandidates({("a", "b"): 3.0, ("a", "c"): 1.0}).halved([("a", "b")])
    assert dict(pool.weights) == {("a", "b"): 1.5, ("a", "c"): 1.0}
