"""Test noisy sides: each row is on one side of each plane, and the sensitivity is correct."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from synth.core.measurements.half_spaces import HalfSpaces
from synth.core.schema import Neighbours
from synth.private.counting.codes import Codes
from synth.private.exact_tables import ExactTables
from synth.private.queries.sides import Sides
from synth.private.terms import Terms
from tests.private.queries.tables import DOMAIN, exact

LINE = (0, 100, 255)
SPACES = HalfSpaces(("a", "b"), (LINE, ()), ((1, 1, -1), (1, -1, 1), (3, 0, 0)), (100, 100, 400))
EXAMPLES = (
    Sides(SPACES),
    Sides(HalfSpaces(("a", "b"), (LINE, ()), ((1,), (-1,)), (50, -200), label="b")),
    Sides(HalfSpaces(("a", "b"), ((), ()), ((5, -5, 1, 0),), (10,)), groups={"a": (0, 1, 1)}),
    Sides(HalfSpaces(("a",), (LINE,), ((1,),), (100,))),
)


def test_a_row_is_on_one_side_of_every_plane() -> None:
    assert exact(EXAMPLES[0], [(0, 0)]).tolist() == [[-1, -1, -1]]
    assert exact(EXAMPLES[0], [(1, 0), (2, 1)]).tolist() == [[2, 0, 0]]
    assert exact(EXAMPLES[3], [(0, 0), (1, 0), (2, 0)]).tolist() == [[-1]]


def test_with_a_label_each_of_its_codes_has_sides_of_its_own() -> None:
    assert exact(EXAMPLES[1], [(0, 0), (1, 1), (2, 1), (2, 1)]).tolist() == [[-1, 1], [3, -1]]


def test_those_asked_again_are_those_of_these_rows_and_groups() -> None:
    """The cached result of one query does not answer another query."""
    tables = ExactTables(Codes.of(np.array([[0, 0], [2, 1]]), DOMAIN), DOMAIN)
    for query in (*EXAMPLES, *reversed(EXAMPLES), Sides(SPACES.only([2])), EXAMPLES[0]):
        fresh = exact(query, [(0, 0), (2, 1)])
        np.testing.assert_array_equal(query.exact(tables), fresh)


UNITS = {
    k: [
        list(unit)
        for n in range(k + 1)
        for unit in combinations_with_replacement(product(range(3), range(2)), n)
    ]
    for k in (1, 2)
}
"""Yield every unit with up to this number of rows."""


@pytest.mark.parametrize("query", EXAMPLES, ids=range(len(EXAMPLES)))
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("relation", Neighbours)
def test_of_all_neighbours_none_is_further_apart_than_is_said(
    query: Sides, rows: int, relation: Neighbours
) -> None:
    """Every unit of a tiny domain, and every pair of them where one is replaced; without a label the bound is
    reached wherever two records lie on different sides of all planes."""
    terms = Terms(rows=rows, neighbours=relation)
    base = exact(query, [(1, 0)])
    known = [exact(query, [(1, 0), *unit]) - base for unit in UNITS[rows]]
    others = known if relation is Neighbours.REPLACE else [known[0]]
    moved = max(int(np.square(one - other).sum()) for one in known for other in others)
    assert moved == query.l2_squared(terms)


@pytest.mark.parametrize(
    "query",
    [
        Sides(HalfSpaces(("b", "a"), ((), LINE), ((1, -1, 1),), (100,))),
        Sides(HalfSpaces(("a", "c"), (LINE, ()), ((1, 1, -1),), (100,))),
        Sides(SPACES, groups={"a": (0, 1, 1)}),
        Sides(HalfSpaces(("a",), (LINE,), ((1,),), (100,)), groups={"b": (0, 0)}),
        Sides(HalfSpaces(("a",), ((0, 1),), ((1,),), (100,))),
    ],
)
def test_what_is_about_no_half_space_of_the_domain_does_not_fit(query: Sides) -> None:
    assert not query.fits(DOMAIN)
