"""On random neighbours no score moves beyond its sensitivity, and no two by more than the swing."""

from collections.abc import Callable
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.schema import Neighbours
from synth.private.scores import SCORES, Score
from synth.private.terms import Terms

Example = tuple[Score, list[tuple[int, ...]]]


def example_of(kind: type[Score]) -> Callable[[np.random.Generator], Example]:
    """What makes random scores of a kind, with the shapes of the tables they are asked about: `example` in
    the kind's own test file, `tests/private/scores/test_<file>.py`."""
    file = kind.__module__.rpartition(".")[2]
    return import_module(f"tests.private.scores.test_{file}").example  # type: ignore[no-any-return]


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
def test_scores_move_within_sensitivity_and_swing(name: str, seed: int, l1: int) -> None:
    rng = np.random.default_rng(seed)
    score, shapes = EXAMPLES[name](rng)
    assert score.restored(score.state()).facts() == score.facts(), "to the last bit"
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
def test_no_unit_moves_scores_beyond_terms(name: str, seed: int, rows: int, relation: Neighbours) -> None:
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
