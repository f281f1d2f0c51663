"""On random neighbours no score moves beyond its sensitivity, and no two by more than the swing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.measure.score import SCALE, L1Gap, Score

SHAPES = [(3,), (2, 2), (3, 4)]


def random_l1_gap(rng: np.random.Generator) -> Score:
    shapes = [SHAPES[i] for i in rng.integers(0, len(SHAPES), size=4)]
    return L1Gap(
        cliques=tuple((f"c{i}",) for i in range(4)),
        estimates=tuple(rng.random(s) * 10 for s in shapes),
        weights=tuple(int(w) for w in rng.integers(0, 1024, size=4)),
        penalties=tuple(rng.random(4) * 5),
    )


SCORES = {"l1_gap": random_l1_gap}


@pytest.mark.parametrize("name", sorted(SCORES))
@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32), l1=st.integers(1, 4))
def test_no_score_moves_beyond_its_sensitivity_and_no_two_beyond_the_swing(
    name: str, seed: int, l1: int
) -> None:
    rng = np.random.default_rng(seed)
    score = SCORES[name](rng)
    moves = []
    for i in range(len(score.cliques)):
        counts = rng.integers(0, 12, size=score.estimates[i].shape)  # type: ignore[attr-defined]
        neighbour = counts.copy()
        for _ in range(l1):
            neighbour.ravel()[rng.integers(neighbour.size)] += rng.choice([-1, 1])
        moves.append(score.value(i, neighbour) - score.value(i, counts))
    assert max(map(abs, moves)) <= score.sensitivity(l1)
    assert max(moves) - min(moves) <= score.swing(l1)


def test_the_swing_of_an_l1_gap_is_reached() -> None:
    """One added row moves one gap up and another down by a whole record: a one-sided swing would be wrong."""
    score = L1Gap(
        cliques=(("a",), ("b",)),
        estimates=(np.array([5.0, 0.0]), np.array([0.0, 5.0])),
        weights=(7, 7),
        penalties=(0.0, 0.0),
    )
    before, after = np.array([4, 0]), np.array([5, 0])
    moves = [score.value(i, after) - score.value(i, before) for i in range(2)]
    assert moves == [-7 * SCALE, 7 * SCALE]
    assert max(moves) - min(moves) == score.swing(1)
