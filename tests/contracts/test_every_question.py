"""Every kind of question about codes: told by its facts, paid in full on every neighbour, and read again.

Each brings `EXAMPLES` about `DOMAIN` in its own test file, `tests/private/queries/test_<file>.py`.
"""

import json
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth.core.accounting import GAUSSIAN, SAMPLED, UNITS_PER_RHO, Law
from synth.core.axis import Axis
from synth.core.domain import Domain
from synth.core.errors import Refusal
from synth.core.measurements.noisy import Choice, Measurement, NoisyNumbers
from synth.core.schema import Column, Kind, Neighbours, ProtectedChange, Schema, Unit
from synth.private.account import Account
from synth.private.counting.codes import Codes
from synth.private.exact_tables import ExactTables
from synth.private.ledger import Ledger
from synth.private.queries import (
    QUERIES,
    TABLE_QUERIES,
    MagnitudesQuery,
    Query,
    Selection,
    TreeQuery,
    ValuesQuery,
)
from synth.private.queries.base import GaussianQuery, ScaledQuery, TableQuery
from synth.private.session import PrivateSource
from synth.private.terms import Paid, Terms
from synth.release.verify import OF_NUMBERS, OF_VERDICT
from tests.models.examples import evidence_of

DOMAIN = Domain(("a", "b"), (3, 2))
UNITS = 10**10
TERMS = [Terms(rows=rows, neighbours=relation) for relation in Neighbours for rows in (1, 3)]


def examples(kind: type[Query[Any]]) -> tuple[Query[Any], ...]:
    """Those of the kind's own test file."""
    file = kind.__module__.rpartition(".")[2]
    return tuple(import_module(f"tests.private.queries.test_{file}").EXAMPLES)


REQUESTED = [question for kind in QUERIES.values() for question in examples(kind)]
EVERY = pytest.mark.parametrize("question", REQUESTED, ids=lambda q: f"{q.ask} {q!r}"[:60])


def law_of(question: Query[Any]) -> Law:
    """One that allows it."""
    return GAUSSIAN if GAUSSIAN.allows(question.ask) else SAMPLED


def rows(rng: np.random.Generator, many: int = 40) -> np.ndarray:
    return np.stack([rng.integers(0, size, many) for size in DOMAIN.sizes], axis=1)


def exact(question: Query[Any], table: np.ndarray) -> np.ndarray:
    return question.exact(ExactTables(Codes.of(table, DOMAIN), DOMAIN))


def neighbours(rng: np.random.Generator, terms: Terms) -> tuple[np.ndarray, np.ndarray]:
    """Two tables that differ in one unit; its rows are alike half of the time, which moves most."""
    mine, others = (rows(rng, terms.rows) for _ in range(2))
    if rng.random() < 0.5:
        mine, others = mine[[0] * terms.rows], others[[0] * terms.rows]
    base = rows(rng, int(rng.integers(0, 30)))
    replaced = terms.neighbours is Neighbours.REPLACE
    return np.vstack([base, mine]), np.vstack([base, others]) if replaced else base


@EVERY
def test_it_is_told_by_its_facts_and_state_and_fits_its_domain(question: Query[Any]) -> None:
    assert QUERIES[question.ask] is type(question) and question.fits(DOMAIN)
    for terms in TERMS:
        facts = json.loads(json.dumps(question.facts(terms)))
        again = question.restored(facts, question.state())
        assert facts["ask"] == question.ask and again.facts(terms) == question.facts(terms)
        assert again.state() == question.state() and again.groups == question.groups and again.fits(DOMAIN)
    assert not question.fits(Domain(("c", "d"), (3, 2)))


@EVERY
@pytest.mark.parametrize("terms", TERMS, ids=lambda t: f"{t.rows} rows, {t.neighbours.name}")
def test_no_neighbour_learns_more_than_was_paid(question: Query[Any], terms: Terms) -> None:
    """Of a Gaussian answer change^2 / (2 sigma^2), of a choice that of its range, which the swing limits."""
    if terms.replaces and law_of(question).is_for_added_units:
        with pytest.raises(Refusal):
            nobody = Codes.of(np.zeros((0, 2), dtype=np.int64), DOMAIN)
            question.answer(ExactTables(nobody, DOMAIN), units=UNITS, terms=terms)
        return
    rng, most = np.random.default_rng(0), Fraction(0)
    for _ in range(200):
        one, other = (exact(question, table) for table in neighbours(rng, terms))
        moved = [int(number) for number in (one - other).ravel()]
        if isinstance(question, Selection):
            most = max(most, Fraction(max(moved) - min(moved), question.score.swing(question.moved(terms))))
        else:
            assert isinstance(question, GaussianQuery), "a question with another noise needs its own loss"
            lengths = [1] * len(moved)
            if isinstance(question, ScaledQuery):  # whose numbers have noise of their own lengths
                lengths = np.broadcast_to(question.squared_lengths(), one.shape).ravel().tolist()
            squares = sum(Fraction(n * n, length) for n, length in zip(moved, lengths, strict=True))
            loss = squares / (2 * question.variance(UNITS, terms))
            most = max(most, loss * UNITS_PER_RHO / UNITS)
    assert most <= 1, "too little noise"
    assert most > Fraction(1, 1000), "far too much noise"


@EVERY
def test_the_room_answers_it_and_hears_it_again_for_free(question: Query[Any], tmp_path: Path) -> None:
    ledger, one = Ledger(tmp_path / "ledger.sqlite"), ProtectedChange(max_rows=1)
    ledger.open_population("p", units=2 * UNITS, reason="test", protects=one)
    ledger.open_run("p", "r", units=2 * UNITS, label="t", protects=one, law=law_of(question))
    schema = Schema(name="t", population="p", unit=Unit(max_rows=1), columns=())
    codes, answers = Codes.of(rows(np.random.default_rng(0)), DOMAIN), []
    for _ in range(2):
        account = Account(
            ledger,
            "r",
            part="mechanism",
            units=2 * UNITS,
            population="p",
            law=law_of(question),
            resumes=True,
        )
        source = PrivateSource(codes, DOMAIN, account, schema=schema)
        answers += source.ask([(question, UNITS / UNITS_PER_RHO)])
    first, again = answers
    assert (first.part, first.step, first.units) == (again.part, again.step, again.units)
    assert (first.part, first.step, first.units) == ("mechanism", 0, UNITS)
    assert ledger.balance("p").spent == UNITS and type(first) is type(again)
    if isinstance(first, Measurement | NoisyNumbers):
        name = "counts" if isinstance(first, Measurement) else "values"
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    if isinstance(first, Choice):
        assert first.index == again.index


@EVERY
def test_its_answer_without_noise_is_the_truth_and_evidence(question: Query[Any]) -> None:
    truth = exact(question, rows(np.random.default_rng(0)))
    paid = Paid(units=UNITS, part="mechanism", step=4, terms=TERMS[0])
    answer = question.read(question.plain(truth), paid, domain=DOMAIN)
    evidence = evidence_of(DOMAIN, (answer,), 40.0)
    readers = (
        evidence.measurements,
        evidence.scores,
        evidence.choices,
        evidence.numbers,
        evidence.trained,
    )
    assert [*readers].count((answer,)) == 1, "every answer is found by one reader of the evidence"
    if isinstance(answer, Measurement | NoisyNumbers):
        assert answer.variance == question.variance(UNITS, TERMS[0])
        numbers = answer.counts if isinstance(answer, Measurement) else answer.values
        np.testing.assert_array_equal(numbers, truth)
    assert isinstance(answer, NoisyNumbers) == (question.ask in (*OF_NUMBERS, *OF_VERDICT)), (
        "`verify` knows all that is told"
    )
    if question.ask in OF_NUMBERS:
        assert (question.shape(DOMAIN), question.scale) == (answer.values.shape, answer.scale)  # type: ignore[attr-defined]
        assert OF_NUMBERS[question.ask].restored(answer.requested, None) == question


def estimates(terms: Terms, *, less: int) -> list[TableQuery]:
    """Every estimate of a domain, for a smaller change of the table than these terms state."""
    squared, rows = terms.l2_squared - less, max(terms.rows - less, 1)
    column = Column(name="a", kind=Kind.INTEGER, min=0, max=3)
    return [
        ValuesQuery(column="a", rows=terms.rows, delta=1e-9, l2_squared=squared, units=UNITS),
        ValuesQuery(column="a", rows=rows, delta=1e-9 * (1 + less), l2_squared=10**6, units=UNITS),
        MagnitudesQuery(column="a", kind=Kind.INTEGER, l2_squared=squared, units=UNITS),
        TreeQuery(axis=Axis(column=column, edges=(0, 2, 4)), change=terms.l1 - less, units=UNITS),
    ]


@pytest.mark.parametrize("terms", TERMS, ids=lambda t: f"{t.rows} rows, {t.neighbours.name}")
def test_an_estimate_for_a_smaller_change_does_not_fit(terms: Terms) -> None:
    assert {query.ask for query in estimates(terms, less=0)} == TABLE_QUERIES.keys()
    assert all(query.fits(terms, delta_units=10**9) for query in estimates(terms, less=0))
    assert not any(query.fits(terms, delta_units=10**9) for query in estimates(terms, less=1))


@pytest.mark.parametrize("kind", (QUERIES | TABLE_QUERIES).values(), ids=lambda kind: kind.ask)
def test_it_has_words_and_a_privacy_argument(kind: type[Any]) -> None:
    one, many = kind.words
    assert one != many
    assert "mechanism" in (kind.__doc__ or "") or "Privacy" in (kind.__doc__ or "")
