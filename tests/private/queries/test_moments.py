"""Test sums of products of columns on a lattice."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from synth.core.accounting import GAUSSIAN, ZCDP, Law
from synth.core.domain import Domain
from synth.core.measurements.moments import Block, Term
from synth.core.schema import Neighbours
from synth.private.queries.moments import Moments
from synth.private.terms import Terms
from tests.private.queries.tables import DOMAIN, exact, farthest, noise_is_as_large_as

A = Term(column="a", cells=3, low=0.0, high=4.0, name="a")
A_IS = Term(column="a", cells=3, code=1, name="a is y")
B = Term(column="b", cells=2, code=1, name="b is y")
EXAMPLES = (
    Moments(Block((A, B)), ("a", "b")),
    Moments(Block((A_IS, B)), ("a", "b")),
    Moments(Block((A,), ("b",)), ("a", "b")),
)


def test_it_sums_products_of_places_and_leaves_out_squares_of_indicators() -> None:
    assert EXAMPLES[0].block.entries == ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2))
    assert exact(EXAMPLES[0], [(2, 0), (0, 1), (1, 1)]).tolist() == [3, 0, 1, 8, -4]
    assert exact(EXAMPLES[2], [(2, 0), (2, 0), (0, 1)]).tolist() == [[2, 4, 8], [1, -2, 4]]
    assert exact(EXAMPLES[0], []).tolist() == [0] * 5


def test_a_record_without_a_value_adds_nothing() -> None:
    short = Moments(Block((replace(A, cells=2), B)), ("a", "b"))
    assert exact(short, [(2, 1), (2, 0), (1, 1)]).tolist() == exact(short, [(1, 1)]).tolist()


def test_sums_of_many_records_are_exact_in_blocks() -> None:
    domain, rng = Domain(("x", "y"), (4097, 4097)), np.random.default_rng(0)
    terms = tuple(Term(column=name, cells=4096, low=0.0, high=1.0, name=name) for name in "xy")
    codes = rng.integers(0, 4097, (5_000, 2))
    kept = codes[(codes < 4096).all(axis=1)]
    z = np.column_stack([np.ones(len(kept), dtype=np.int64), 2 * kept - 4095])
    expected = [int(z[:, i] @ z[:, j]) for i, j in Block(terms).entries]
    columns = {"x": codes[:, 0].astype(np.uint16), "y": codes[:, 1].astype(np.uint16)}
    assert Block(terms).sums(columns, domain, at_a_time=300).tolist() == expected


TERMS = (
    *(Term(column=f"y{i}", cells=2, code=1, name="yes") for i in range(3)),
    Term(column="n", cells=3, low=0.0, high=1.0, name="n"),
)
BLOCKS = {
    "numbers": Block((TERMS[3], replace(TERMS[3], column="m", cells=5))),
    "mixed": Block((*TERMS[:2], TERMS[3])),
    "indicators": Block(TERMS[:3]),
    "four": Block(TERMS),
    "groups": Block((TERMS[0], TERMS[3]), ("g",)),
}


def vectors(block: Block) -> Iterator[np.ndarray]:
    """Return the contribution of each possible record, with every entry divided by its largest product."""
    domain = Domain(block.columns, tuple(2 if name == "g" else 5 for name in block.columns))
    sizes = {term.column: term.cells for term in block.terms} | {"g": 2}
    clique = domain.clique(block.columns)
    query = Moments(block, clique)
    for row in product(*(range(sizes[name]) for name in clique)):
        yield (exact(query, [row], domain) / block.products).ravel()
    yield np.zeros(2 ** len(block.by) * len(block.entries))


@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("relation", Neighbours)
def test_of_all_units_none_moves_it_further_than_is_said(relation: Neighbours, rows: int, name: str) -> None:
    """Every unit of up to `rows` records on every lattice point; without replacement the bound is reached."""
    most = farthest(vectors(BLOCKS[name]), rows, relation)
    limit = Moments(BLOCKS[name], ()).l2_squared(Terms(rows=rows, neighbours=relation))
    if relation is Neighbours.REPLACE:
        assert limit / 4 <= most <= limit + 1e-9
    else:
        assert most == pytest.approx(limit)


def test_under_replacement_the_dropped_squares_are_paid_for() -> None:
    """With them left out of the price, these two records would be further apart than was paid."""
    block = Block(tuple(replace(TERMS[0], column=f"y{i}") for i in range(7)))
    domain = Domain(block.columns, (2,) * 7)
    query = Moments(block, block.columns)
    each = np.array([exact(query, [row], domain) for row in product((0, 1), repeat=7)])
    farthest = max(int(np.square(each - one).sum(axis=1).max()) for one in each)
    terms = Terms(rows=1, neighbours=Neighbours.REPLACE)
    assert 2 * len(block.entries) < farthest <= query.l2_squared(terms) == 2 * 36


@pytest.mark.parametrize("law", [ZCDP, GAUSSIAN], ids=lambda law: law.name)
def test_each_entry_has_noise_of_its_own_size(law: Law) -> None:
    query, terms = EXAMPLES[0], Terms(rows=2, neighbours=Neighbours.ADD_REMOVE, law=law)
    assert query.squared_lengths().tolist() == [1, 4, 1, 16, 4]
    assert query.variance(10**10, terms) == Fraction(5 * 4 * 100, 2)
    noise_is_as_large_as(query, terms, np.sqrt(1000 * query.squared_lengths()))


def test_terms_of_another_domain_do_not_fit() -> None:
    whole = EXAMPLES[0]
    wrong = [
        Moments(Block((A, A)), ("a",)),
        Moments(Block((A,)), ("a", "b")),
        Moments(Block((A,), ("c",)), ("a", "c")),
    ]
    changes = [{"cells": 4}, {"cells": 1}, {"low": 5.0}, {"high": float("inf")}, {"code": 3}, {"column": "c"}]
    wrong += [Moments(Block((replace(A, **more), B)), ("a", "b")) for more in changes]
    assert whole.fits(DOMAIN) and not any(query.fits(DOMAIN) for query in wrong)
