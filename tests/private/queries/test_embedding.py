"""Test the noisy mean embedding: features are on the lattice, and its sensitivity is correct."""

import math

import numpy as np
import pytest

from synth.core.schema import Neighbours
from synth.private.queries.embedding import MOST_FREQUENCIES, SCALE, TURN, Embedding, wave
from synth.private.terms import Terms
from tests.private.queries.tables import DOMAIN, exact

HALF = TURN // 2
EXAMPLES = (
    Embedding(("a", "b"), ((0, HALF), (9000, 1), (TURN - 1, 40_000))),
    Embedding(("a", "b"), ((HALF, 0), (123, 0)), label="b"),
    Embedding(("a", "b"), ((700, 0), (30_000, 0)), label="b", groups={"a": (0, 1, 1)}),
    Embedding(("b",), ((HALF,),)),
)


def test_every_wave_is_nearly_of_the_stated_length_and_never_longer() -> None:
    lengths = np.square(wave().astype(np.int64)).sum(axis=1)
    assert lengths.max() == SCALE**2 and lengths.min() > (SCALE - 2) ** 2
    angles = 2 * math.pi * np.arange(TURN) / TURN
    assert np.abs(wave()[:, 0] / SCALE - np.cos(angles)).max() < 1 / SCALE
    assert np.abs(wave()[:, 1] / SCALE - np.sin(angles)).max() < 1 / SCALE


def test_in_groups_the_phase_is_that_of_the_group() -> None:
    one, other = exact(EXAMPLES[2], [(1, 0), (2, 1)]), exact(EXAMPLES[2], [(2, 0), (1, 1)])
    np.testing.assert_array_equal(one, other)
    assert (one[0] != exact(EXAMPLES[2], [(0, 0)])[0]).any()


@pytest.mark.parametrize("rows", [1, 4])
@pytest.mark.parametrize("relation", Neighbours)
def test_the_worst_neighbours_are_just_as_far_apart_as_is_said(relation: Neighbours, rows: int) -> None:
    """Of two codes half a turn apart the waves are opposite: replacing one unit by another moves sums by
    twice a unit, where a histogram moves by sqrt(2) of it."""
    terms = Terms(rows=rows, neighbours=relation)
    query = Embedding(("b",), ((HALF,),) * 3)
    one = exact(query, [(0, 0)] * rows)
    other = exact(query, [(0, 1)] * rows * (relation is Neighbours.REPLACE))
    assert np.square(one - other).sum() == query.l2_squared(terms)


@pytest.mark.parametrize(
    "query",
    [
        Embedding(("b", "a"), ((0, 1),)),
        Embedding(("a", "b"), ()),
        Embedding(("a", "b"), ((0,),)),
        Embedding(("a", "b"), ((0, TURN),)),
        Embedding(("a", "b"), ((0, -1),)),
        Embedding(("a", "b"), ((0, 0.5),)),  # type: ignore[arg-type]
        Embedding(("a",), ((1,),), label="b"),
        Embedding(("a",), ((1,),), groups={"b": (0, 0)}),
        Embedding(("a",), ((1,),), groups={"a": (0, 2, 2)}),
        Embedding(("a",), ((1,),) * (MOST_FREQUENCIES + 1)),
    ],
)
def test_what_is_no_embedding_of_the_domain_does_not_fit(query: Embedding) -> None:
    assert not query.fits(DOMAIN)
