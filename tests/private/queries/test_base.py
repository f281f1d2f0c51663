"""Test the common parts of queries about codes: groups, noise, and distinct facts."""

import json

import numpy as np
import pytest

from synth.core.accounting import GAUSSIAN, ZCDP, Law
from synth.core.axis import Axis
from synth.core.domain import Domain
from synth.core.measurements.moments import Block, Term
from synth.core.schema import Column, Kind, Neighbours
from synth.private.counting.codes import Codes
from synth.private.exact_tables import ExactTables
from synth.private.queries import (
    Interaction,
    MagnitudesQuery,
    Marginal,
    Moments,
    Scores,
    Selection,
    TreeQuery,
    ValuesQuery,
)
from synth.private.queries.base import grouped, integers
from synth.private.scores import Dependence, InDif, L1Gap
from synth.private.terms import Terms

DOMAIN = Domain(("a", "b"), (3, 2))
TERMS = Terms(rows=1, neighbours=Neighbours.ADD_REMOVE)
GAP = L1Gap((("a",), ("b",)), (np.array([1.3, 2.0, -0.1]), np.zeros(2)), (3, 1), (0.5, 0.0))
FAMILIES = Dependence((("a", "b"), ("a", "b")), ("b", "a"), {"a": np.array([1, 2, 4.0]), "b": np.ones(2)})
QUERIES = [Marginal(("a",)), Marginal(("a", "b")), Marginal(("a", "b"), {"a": (0, 1, 1)})]
QUERIES += [ask(score) for ask in (Scores, Selection) for score in (GAP, FAMILIES, InDif((("a", "b"),)))]


def test_facts_are_json_and_tell_questions_apart() -> None:
    stated = [json.dumps(query.facts(TERMS), sort_keys=True) for query in QUERIES]
    age = Column(name="x", kind=Kind.INTEGER)
    axes = [Axis(column=age, edges=tuple(map(float, range(cells + 1)))) for cells in (4, 8)]
    before = [TreeQuery(axis=axis, change=1, units=10**12) for axis in axes]
    before += [
        ValuesQuery(column="v", rows=1, l2_squared=1, units=10**12, delta=delta) for delta in (1e-6, 1e-7)
    ]
    before.append(MagnitudesQuery(column="x", kind=Kind.DATE, l2_squared=1, units=1))
    stated += [json.dumps(query.facts(), sort_keys=True) for query in before]
    assert len(set(stated)) == len(stated)


@pytest.mark.parametrize("state", [None, b"", b"{}", b'{"cliques": []}\nnonsense'])
def test_a_score_of_which_too_little_is_known_is_not_restored(state: bytes | None) -> None:
    with pytest.raises((ValueError, KeyError)):
        Scores(GAP).restored(Scores(GAP).facts(TERMS), state)


def test_another_score_is_not_restored() -> None:
    other = Scores(InDif((("a", "b"),)))
    with pytest.raises(ValueError, match="a score of an unknown kind"):
        Scores(GAP).restored(other.facts(TERMS), other.state())


def test_groups_are_of_the_codes_of_a_column() -> None:
    assert grouped(DOMAIN, {}) == DOMAIN and grouped(DOMAIN, {"a": (0, 1, 1)}) == Domain(("a", "b"), (2, 2))
    for odd in ({"a": (0, 1)}, {"c": (0, 1, 1)}, {"a": (0, 2, 2)}, {"a": (-1, 0, 1)}):
        assert grouped(DOMAIN, odd) is None
    assert not Marginal(("a",), {"b": (0, 0)}).fits(DOMAIN)


SQUARE = Domain(("a", "b"), (4, 4))
PLACES = Block(tuple(Term(column=name, cells=4, name=name) for name in "ab"), by=("b",))
MANY = [
    Marginal(("a", "b")),
    Interaction.of(SQUARE, ("a", "b")),
    Moments(PLACES, ("a", "b")),
    Scores(InDif((("a", "b"),) * 9)),
]


@pytest.mark.parametrize("law", [ZCDP, GAUSSIAN], ids=lambda law: law.name)
@pytest.mark.parametrize("query", MANY, ids=lambda query: query.ask)
def test_no_two_numbers_share_their_noise(query: Marginal, law: Law) -> None:
    """Two answers share no noise either. Sigma is above 500,000, so equal sizes by chance have odds of 1 in
    30,000 for 16 numbers."""
    tables = ExactTables(Codes.of(np.zeros((3, 2), dtype=np.int64), SQUARE), SQUARE)
    terms, exact = Terms(rows=1, neighbours=Neighbours.ADD_REMOVE, law=law), query.exact(tables).ravel()
    noise = [integers(query.answer(tables, units=1, terms=terms)) - exact for _ in range(2)]
    sizes = np.abs(np.concatenate(noise))
    assert len(np.unique(sizes)) == len(sizes) == 2 * exact.size > 8
