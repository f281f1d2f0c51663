"""Test every query on tables with odd rows: none of them stops it, and their order changes no answer."""

import itertools
import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synth.core.axis import Axis
from synth.core.schema import Binning, Column, Kind, Neighbours, Schema, Unit
from synth.private.counting.codes import Codes
from synth.private.entropy import Rehearsal
from synth.private.exact_tables import ExactTables
from synth.private.queries import TABLE_QUERIES, MagnitudesQuery, Query, Selection, TreeQuery, ValuesQuery
from synth.private.queries.base import GaussianQuery, ScaledQuery, TableQuery
from synth.private.table import PrivateTable
from synth.private.terms import Terms
from tests.contracts.test_every_question import DOMAIN, EVERY, UNITS, law_of, rows

TERMS = Terms(rows=1, neighbours=Neighbours.ADD_REMOVE)
NO_NOISE = 10**18
"""A cost at which all noise is 0."""

TOWN = Column(name="town", kind=Kind.CATEGORY, buy=True)
PAY = Column(name="pay", kind=Kind.DECIMAL, buy=True)
AGE = Column(name="age", kind=Kind.INTEGER, min=0, max=15, blank=False, binning=Binning.PRIVTREE)
SINCE = Column(name="since", kind=Kind.DATE, buy=True)
SCHEMA = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=(TOWN, PAY, AGE, SINCE))
AXIS = Axis(column=AGE, edges=tuple(map(float, range(17))))


def estimates(units: int) -> list[TableQuery]:
    kinds = {"pay": Kind.DECIMAL, "age": Kind.INTEGER, "since": Kind.DATE}
    return [
        ValuesQuery(column="town", rows=1, delta=1e-6, l2_squared=1, units=units),
        *(MagnitudesQuery(column=name, kind=kinds[name], l2_squared=1, units=units) for name in kinds),
        TreeQuery(axis=AXIS, change=1, units=units),
    ]


ODD = (
    "",
    "?",
    "x" * 201,
    "x" * 70_000,
    "9" * 5000,
    "-" + "9" * 5000,
    "1e999999999",
    "-1e400",
    "inf",
    "nan",
    "\0",
    "\ud800",
    "\n\u2028\x85",
    "\u0663",
    "0001-01-01",
    "9999-12-31",
    "2023-02-30",
    "99999-99-99",
    "1_000",
    "1,2,3",
    '"',
)
"""Cells that no schema expects. Each is one person's."""


def answer_of(query: TableQuery, records: Sequence[Sequence[str]]) -> bytes:
    columns = dict(zip((column.name for column in SCHEMA.columns), zip(*records, strict=True), strict=True))
    return query.answer(PrivateTable.of(columns, SCHEMA), entropy=Rehearsal(5))


def usual() -> list[list[str]]:
    rng = np.random.default_rng(2)
    numbers = zip(*(rng.integers(0, 16, 90).tolist() for _ in range(3)), strict=True)
    return [
        [f"town {int(a**0.7)}", f"{b / 4:.2f}", str(c), f"20{a + 10}-01-0{b % 9 + 1}"] for a, b, c in numbers
    ]


def tables(codes: np.ndarray) -> ExactTables:
    """A table in which a code may be outside the domain, as a blank is if it is declared as never blank."""
    columns = [column.astype(np.uint8) for column in codes.T]
    return ExactTables(Codes(columns, DOMAIN, spans=[size + 1 for size in DOMAIN.sizes]), DOMAIN)


@EVERY
def test_a_row_outside_the_domain_stops_no_query(question: Query[Any]) -> None:
    """And changes the exact result by no more than any other row."""
    inside = rows(np.random.default_rng(0))
    before = question.exact(tables(inside))
    for outside in itertools.product((0, 1), repeat=len(DOMAIN)):
        odd = np.where(outside, DOMAIN.sizes, inside[0])
        moved = question.exact(tables(np.vstack([inside, odd]))) - before
        if isinstance(question, GaussianQuery):
            units = question.squared_lengths() if isinstance(question, ScaledQuery) else np.ones(1, np.int64)
            lengths = np.broadcast_to(units, moved.shape)
            squares = zip(moved.ravel().tolist(), lengths.ravel().tolist(), strict=True)
            assert sum(Fraction(m * m, n) for m, n in squares) <= question.l2_squared(TERMS)
        else:
            assert isinstance(question, Selection)
            assert moved.max() - moved.min() <= question.score.swing(question.moved(TERMS))


@EVERY
def test_the_order_of_rows_changes_no_answer(question: Query[Any]) -> None:
    """With the same noise. Training draws a sample by position, so here it takes all rows."""
    codes, terms = rows(np.random.default_rng(1)), replace(TERMS, law=law_of(question))
    answers = {
        question.answer(tables(order), units=UNITS, terms=terms, entropy=Rehearsal(3))
        for order in (codes, codes[::-1], codes[np.lexsort(codes.T)])
    }
    assert len(answers) == 1


@pytest.mark.parametrize("place", range(len(estimates(1))))
def test_an_odd_cell_stops_no_estimate_and_the_order_of_rows_changes_none(place: int) -> None:
    """An estimate lists no value of one person, and its counts change by at most that person."""
    assert {query.ask for query in estimates(1)} == TABLE_QUERIES.keys()
    noisy, exact, records = estimates(10**11)[place], estimates(NO_NOISE)[place], usual()
    orders = (records, records[::-1], sorted(records), sorted(records, key=lambda record: record[::-1]))
    assert len({answer_of(noisy, order) for order in orders}) == 1
    before = answer_of(exact, records)
    for cell in ODD:
        answer = answer_of(exact, [[cell] * len(SCHEMA.columns), *records])
        if isinstance(exact, ValuesQuery):
            assert answer == before and json.loads(answer) == sorted(json.loads(answer)) != []
        elif isinstance(exact, MagnitudesQuery):
            moved = np.frombuffer(answer, dtype="<i8") - np.frombuffer(before, dtype="<i8")
            assert np.abs(moved).sum() <= 1
