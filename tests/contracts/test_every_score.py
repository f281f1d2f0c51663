"""On random neighbours no score moves beyond its sensitivity, and no two by more than the swing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.measure.score import SCALE, Dependence, InDif, L1Gap, Score

SHAPES = [(3,), (2, 2), (3, 4)]


def random_l1_gap(rng: np.random.Generator) -> Score:
    shapes = [SHAPES[i] for i in rng.integers(0, len(SHAPES), size=4)]
    return L1Gap(
        cliques=tuple((f"c{i}",) for i in range(4)),
        estimates=tuple(rng.random(s) * 10 for s in shapes),
        weights=tuple(int(w) for w in rng.integers(0, 1024, size=4)),
        penalties=tuple(rng.random(4) * 5),
    )


def random_indif(rng: np.random.Generator) -> Score:
    return InDif(cliques=tuple((f"a{i}", f"b{i}") for i in range(4)))


def random_dependence(rng: np.random.Generator) -> Score:
    """The children's estimates have empty cells; children stand before, between and behind their parents."""
    return Dependence(
        cliques=(("a", "b"), ("a", "b"), ("a", "b", "c"), ("b",)),
        children=("a", "b", "b", "b"),
        columns={"a": rng.integers(0, 3, 4) + np.eye(4)[0], "b": rng.random(3) * [1.0, 1.0, 1e-9]},
    )


SCORES = {"l1_gap": random_l1_gap, "indif": random_indif, "dependence": random_dependence}


def random_shapes(score: Score, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Shapes of the tables a score is asked about."""
    if isinstance(score, L1Gap):
        return [estimate.shape for estimate in score.estimates]
    if isinstance(score, Dependence):
        size = {name: column.size for name, column in score.columns.items()}
        return [tuple(size.get(name, 2) for name in clique) for clique in score.cliques]
    return [tuple(int(n) for n in rng.integers(1, 6, size=len(clique))) for clique in score.cliques]


def moved(counts: np.ndarray, l1: int, rng: np.random.Generator) -> np.ndarray:
    """The table after as many records were added or removed; no count falls below zero."""
    neighbour = counts.copy()
    for _ in range(l1):
        cell = rng.integers(neighbour.size)
        neighbour.ravel()[cell] += rng.choice([-1, 1]) if neighbour.ravel()[cell] else 1
    return neighbour


@pytest.mark.parametrize("name", sorted(SCORES))
@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32), l1=st.integers(1, 4))
def test_no_score_moves_beyond_its_sensitivity_and_no_two_beyond_the_swing(
    name: str, seed: int, l1: int
) -> None:
    rng = np.random.default_rng(seed)
    score = SCORES[name](rng)
    largest = rng.choice([1, 2, 12, 1000])
    moves = []
    for i, shape in enumerate(random_shapes(score, rng)):
        counts = rng.integers(0, largest, size=shape)
        moves.append(score.value(i, moved(counts, l1, rng)) - score.value(i, counts))
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


def test_the_sensitivity_of_an_indif_is_nearly_reached_and_a_smaller_one_would_be_wrong() -> None:
    """A record with two values that nobody else has: 4 n / (n + 1), so any constant below 4 fails."""
    score = InDif((("a", "b"),))
    before = np.array([[100_000, 0], [0, 0]])
    after = before + np.array([[0, 0], [0, 1]])
    move = score.value(0, after) - score.value(0, before)
    assert score.sensitivity(1) - 1 <= move <= score.sensitivity(1)


def test_the_swing_of_an_indif_is_nearly_reached() -> None:
    """One record joins two values nobody has, and two common values that nobody has together."""
    score = InDif((("a", "b"), ("c", "d")))
    alone = np.diag([1_000_000, 0])
    apart = np.array([[980_000, 10_000], [10_000, 0]])
    record = np.array([[0, 0], [0, 1]])
    up, down = (score.value(i, t + record) - score.value(i, t) for i, t in enumerate([alone, apart]))
    assert 0.97 * score.swing(1) < up - down <= score.swing(1)


def test_the_swing_of_a_dependence_is_nearly_reached() -> None:
    """A record with a value that is thought rare: new to the parents of one pair, and filling a gap in the
    other. The swing of an L1 gap, which knows its table beforehand, would be wrong."""
    score = Dependence((("a", "b"), ("a", "c")), ("a", "a"), {"a": np.array([999_999.0, 1.0])})
    alone, missing = np.array([[1000, 0], [0, 0]]), np.array([[0, 10_000_000], [0, 0]])
    record = np.array([[0, 0], [0, 1]])
    up, down = (score.value(i, t + record) - score.value(i, t) for i, t in enumerate([alone, missing]))
    assert 0.999 * score.swing(1) < up - down <= score.swing(1)
    assert up > 0.999 * score.sensitivity(1)
