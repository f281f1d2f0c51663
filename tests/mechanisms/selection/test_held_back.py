"""The draw of the pairs kept apart: fair, repeatable, and about columns that matter."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.mechanisms.selection.held_back import MOST_CELLS, PAIRS, drawn_pairs

DOMAIN = Domain(tuple("abcdef"), (2, 3, 4, 5, 6, 7))


def test_the_same_seed_draws_the_same_pairs_and_another_seed_others() -> None:
    first = drawn_pairs(DOMAIN, np.random.default_rng(1))
    assert first == drawn_pairs(DOMAIN, np.random.default_rng(1))
    assert len(set(first)) == PAIRS
    assert any(first != drawn_pairs(DOMAIN, np.random.default_rng(seed)) for seed in range(2, 6))


def test_every_pair_is_equally_likely() -> None:
    """15 pairs, 5 of them in each of 3,000 draws: 1,000 each, sigma 25.8; six sigmas, false alarm 3e-8."""
    seen = Counter(p for s in range(3_000) for p in drawn_pairs(DOMAIN, np.random.default_rng(s)))
    assert set(seen) == set(combinations("abcdef", 2))
    assert all(abs(n - 1_000) < 155 for n in seen.values())


def test_a_column_that_is_off_is_in_no_pair() -> None:
    for seed in range(20):
        pairs = drawn_pairs(DOMAIN, np.random.default_rng(seed), column_weights={"a": 0.0, "c": 0.0})
        assert not any("a" in p or "c" in p for p in pairs)


def test_wide_pairs_are_drawn_only_where_there_is_nothing_else() -> None:
    mixed = Domain(("a", "b", "wide"), (10, 10, MOST_CELLS))
    assert drawn_pairs(mixed, np.random.default_rng(0)) == (("a", "b"),)
    assert len(drawn_pairs(Domain(("v", "w"), (200, 200)), np.random.default_rng(0))) == 1


@pytest.mark.parametrize("weights", [None, {"a": 0.0}])
def test_odd_shapes_still_give_something_to_measure(weights: dict[str, float] | None) -> None:
    assert drawn_pairs(Domain(("a",), (9,)), np.random.default_rng(0)) == (("a",),)
    two = Domain(("a", "b"), (2, 2))
    assert drawn_pairs(two, np.random.default_rng(0), column_weights=weights) == (("a", "b"),)
