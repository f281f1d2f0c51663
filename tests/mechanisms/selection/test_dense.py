"""Pairs are added while they reduce the expected error, and small cliques of pairs become one table."""

import math
from itertools import combinations

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.mechanisms.selection.allocation import shares
from synth.mechanisms.selection.dense import combined, dense_pairs

DOMAIN = Domain(tuple("abcde"), (2, 3, 5, 8, 4))
PAIRS = dict.fromkeys(combinations("abcde", 2), 1.0)


def expected_error(chosen: list[Clique], lacking: dict[Clique, float], sigma: float) -> float:
    """Return the total error: the noise at the best costs, plus the error of the pairs that are not
    measured.
    """
    noise = 0.0
    for r, share in shares(DOMAIN, dict.fromkeys(chosen, 1.0)).items() if chosen else ():
        noise += math.sqrt(2 / math.pi) * sigma / math.sqrt(share) * DOMAIN.size(r)
    return noise + sum(lacking[r] for r in PAIRS if r not in chosen)


@pytest.mark.parametrize("sigma", [0.3, 3.0, 12.0])
def test_every_pair_that_is_added_lowers_the_error_most_and_the_next_one_would_not(sigma: float) -> None:
    lacking = dict(zip(PAIRS, np.random.default_rng(0).uniform(0, 2_000, 10).tolist(), strict=True))
    chosen = dense_pairs(DOMAIN, PAIRS, np.array(list(lacking.values())), sigma=sigma)
    for k, added in enumerate(chosen):
        with_each = {
            r: expected_error([*chosen[:k], r], lacking, sigma) for r in PAIRS if r not in chosen[:k]
        }
        assert with_each[added] == pytest.approx(min(with_each.values()))
        assert with_each[added] < expected_error(chosen[:k], lacking, sigma)
    last = expected_error(chosen, lacking, sigma)
    assert all(expected_error([*chosen, r], lacking, sigma) >= last for r in PAIRS if r not in chosen)
    assert 0 < len(chosen) < 10 or sigma == 0.3


def test_pairs_count_by_their_weight() -> None:
    weights = {("a", "b"): 1.0, ("a", "c"): 0.001}
    assert dense_pairs(DOMAIN, weights, np.array([100.0, 100.0]), sigma=4.0) == [("a", "b")]
    assert dense_pairs(DOMAIN, {}, np.empty(0), sigma=2.0) == []


def test_a_triangle_is_one_table_if_its_cells_are_few_enough() -> None:
    triangle: list[Clique] = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")]
    assert combined(DOMAIN, triangle, cells=30) == [("a", "b", "c"), ("c", "d")]
    assert combined(DOMAIN, triangle, cells=29) == triangle
    assert combined(DOMAIN, triangle, cells=0) == triangle


def test_wider_tables_share_at_most_two_columns_with_those_before_and_no_pair_is_lost() -> None:
    tables = combined(DOMAIN, list(PAIRS), cells=50)
    wide = [r for r in tables if len(r) > 2]
    assert wide and all(DOMAIN.size(r) <= 50 for r in wide)
    covered = set(wide[0])
    for r in wide[1:]:
        assert len(covered & set(r)) <= 2
        covered |= set(r)
    assert all(any(set(pair) <= set(r) for r in tables) for pair in PAIRS)
    assert len(tables) == len(set(tables))
