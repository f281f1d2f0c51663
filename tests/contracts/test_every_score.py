"""On random neighbours no score moves beyond its sensitivity, and no two by more than the swing."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.schema import Neighbours
from synth.private.scores import SCALE, SCORES, Dependence, InDif, L1Gap, Score
from synth.private.terms import Terms

Example = tuple[Score, list[tuple[int, ...]]]


def example_of(kind: type[Score]) -> Callable[[np.random.Generator], Example]:
    """What makes random scores of a kind, with the shapes of the tables they are asked about: `example` in
    the kind's own test file, `tests/private/scores/test_<file>.py`."""
    name = f"test_{kind.__module__.rpartition('.')[2]}"
    place = Path(__file__).parents[1] / "private" / "scores" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, place)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.example  # type: ignore[no-any-return]


EXAMPLES = {name: example_of(kind) for name, kind in SCORES.items()}


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
    score, shapes = EXAMPLES[name](rng)
    largest = rng.choice([1, 2, 12, 1000])
    moves = []
    for i, shape in enumerate(shapes):
        counts = rng.integers(0, largest, size=shape)
        moves.append(score.value(i, moved(counts, l1, rng)) - score.value(i, counts))
    assert max(map(abs, moves)) <= score.sensitivity(l1)
    assert max(moves) - min(moves) <= score.swing(l1)


@pytest.mark.parametrize("name", sorted(SCORES))
@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32), rows=st.integers(1, 4), relation=st.sampled_from(list(Neighbours)))
def test_no_unit_moves_a_score_further_than_its_terms_say(
    name: str, seed: int, rows: int, relation: Neighbours
) -> None:
    """By what the score takes for the move of a table: half of the time all rows of a unit are alike."""
    rng, terms = np.random.default_rng(seed), Terms(rows=rows, neighbours=relation)
    score, shapes = EXAMPLES[name](rng)
    moved_by, moves = getattr(terms, score.moves_by), []
    for i, shape in enumerate(shapes):
        before = rng.integers(0, rng.choice([1, 2, 12, 1000]), size=shape)
        after = before.copy()
        for table in (before, after) if relation is Neighbours.REPLACE else (after,):
            cells = rng.integers(table.size, size=rows)
            np.add.at(table.ravel(), cells[:1].repeat(rows) if rng.random() < 0.5 else cells, 1)
        moves.append(score.value(i, after) - score.value(i, before))
    assert max(map(abs, moves)) <= score.sensitivity(moved_by)
    assert max(moves) - min(moves) <= score.swing(moved_by)


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
