"""Test noisy votes: each row has one vote, and the sensitivity is correct."""

import numpy as np
import pytest

from synth.core.schema import Neighbours
from synth.private.queries.votes import MOST_CANDIDATES, Votes
from synth.private.terms import Terms
from tests.private.queries.tables import DOMAIN, exact

LINE = (0, 100, 255)
EXAMPLES = (
    Votes(("a", "b"), ((0, 0), (1, 1), (2, 0)), (LINE, ())),
    Votes(("a", "b"), ((0, 0), (2, 0), (2, 1)), (LINE, ()), label="b"),
    Votes(("a", "b"), ((0, 0), (1, 1)), ((), ()), groups={"a": (0, 1, 1)}),
    Votes(("b",), ((0,), (1,)), ((),)),
)


def test_a_row_votes_for_the_nearest_and_every_row_has_one_vote() -> None:
    plain = EXAMPLES[0]
    assert exact(plain, [(0, 0), (1, 1), (1, 1), (2, 0)]).tolist() == [1, 2, 1]
    assert exact(plain, [(1, 0), (2, 1)]).tolist() == [1, 0, 1], (
        "100 steps are less than another code of b, 120.2"
    )


def test_with_a_label_it_votes_among_its_own_and_without_any_for_none() -> None:
    query = EXAMPLES[1]
    assert exact(query, [(1, 0), (2, 0), (0, 1), (1, 1)]).tolist() == [1, 1, 2]
    alone = Votes(("a", "b"), ((0, 0), (2, 0)), (LINE, ()), label="b")
    assert exact(alone, [(0, 1), (1, 1), (2, 0)]).tolist() == [0, 1]
    assert exact(Votes(("b",), ((0,), (1,)), ((),), label="b"), [(0, 1), (2, 1), (0, 0)]).tolist() == [1, 2]


def test_in_groups_it_is_the_group_that_votes() -> None:
    assert exact(EXAMPLES[2], [(1, 1), (2, 1), (0, 0)]).tolist() == [1, 2]


@pytest.mark.parametrize("rows", [1, 4])
@pytest.mark.parametrize("relation", Neighbours)
def test_the_worst_neighbours_are_just_as_far_apart_as_is_said(relation: Neighbours, rows: int) -> None:
    terms = Terms(rows=rows, neighbours=relation)
    one = exact(EXAMPLES[0], [(0, 0)] * rows)
    other = exact(EXAMPLES[0], [(2, 0)] * rows * (relation is Neighbours.REPLACE))
    assert np.square(one - other).sum() == EXAMPLES[0].l2_squared(terms)


@pytest.mark.parametrize(
    "query",
    [
        Votes(("b", "a"), ((0, 0),), ((), ())),
        Votes(("a", "b"), (), ((), ())),
        Votes(("a", "b"), ((0, 0), (0, 0)), ((), ())),
        Votes(("a", "b"), ((1, 0), (0, 0)), ((), ())),
        Votes(("a", "b"), ((3, 0),), ((), ())),
        Votes(("a", "b"), ((0, -1),), ((), ())),
        Votes(("a", "b"), ((0, 0.5),), ((), ())),  # type: ignore[arg-type]
        Votes(("a", "b"), ((0,),), ((), ())),
        Votes(("a", "b"), ((0, 0),), ((),)),
        Votes(("a", "b"), ((0, 0),), ((0, 1), ())),
        Votes(("a", "b"), ((0, 0),), ((0, 1, 256), ())),
        Votes(("a", "b"), ((0, 0),), ((0, 1, -1), ())),
        Votes(("a",), ((0,),), ((),), label="b"),
        Votes(("a",), ((0,),), ((),), groups={"b": (0, 0)}),
        Votes(("a",), ((2,),), ((),), groups={"a": (0, 1, 1)}),
        Votes(("a",), tuple((i,) for i in range(MOST_CANDIDATES + 1)), ((),)),
    ],
)
def test_what_is_no_vote_of_the_domain_does_not_fit(query: Votes) -> None:
    assert not query.fits(DOMAIN)
