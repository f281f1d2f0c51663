import traceback
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth.core.accounting import GAUSSIAN, SAMPLED, ZCDP, Law
from synth.core.axis import Axis
from synth.core.domain import Domain
from synth.core.errors import BudgetRefused, Code, Refusal
from synth.core.schema import Column, Kind, Neighbours, ProtectedChange, Schema, Unit
from synth.private.account import Account
from synth.private.counting.codes import Codes
from synth.private.exact_tables import ExactTables
from synth.private.ledger import Ledger
from synth.private.queries import (
    MagnitudesQuery,
    Marginal,
    Query,
    Scores,
    Selection,
    TableQuery,
    TreeQuery,
    ValuesQuery,
)
from synth.private.scores import Dependence, L1Gap
from synth.private.session import PrivateSession, PrivateSource
from synth.private.table import PrivateTable
from synth.private.terms import Terms
from tests.ledgers import Free, opened
from tests.refusals import refused

DOMAIN = Domain(("a", "b"), (3, 2))
ROWS = np.array([[0, 0], [0, 1], [2, 1], [2, 1]])
UNITS = 2 * 10**12
NUMBER = Column(name="a", kind=Kind.INTEGER)


def schema(max_rows: int = 1, rows_public: int | None = None) -> Schema:
    columns = (Column(name="a", kind=Kind.CATEGORY), Column(name="b", kind=Kind.CATEGORY))
    return Schema(
        name="t", population="p", unit=Unit(max_rows=max_rows), columns=columns, rows_public=rows_public
    )


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return opened(tmp_path / "ledger.sqlite", 10 * 10**12, run=UNITS)


def source(
    ledger: Ledger,
    declared: Schema | None = None,
    *,
    units: int = UNITS,
    law: Law = ZCDP,
    codes: Codes | None = None,
) -> PrivateSource:
    account = Account(ledger, "r", part="mechanism", units=units, population="p", law=law)
    return PrivateSource(codes or Codes.of(ROWS, DOMAIN), DOMAIN, account, schema=declared or schema())


def gap(*estimates: np.ndarray) -> L1Gap:
    return L1Gap(cliques=(("a",), ("b",)), estimates=estimates, weights=(1, 1), penalties=(0.0, 0.0))


def test_noise_is_added_to_the_truth(tmp_path: Path) -> None:
    """At sigma about 0.005 a nonzero draw has probability below 1e-4000: the answer is the exact table."""
    s = source(opened(tmp_path / "l.sqlite", 10**18, run=10**17), units=10**17)
    assert s.ask([(Marginal(("a", "b")), 20_000.0)])[0].counts.tolist() == [[1, 1], [0, 0], [0, 2]]


@pytest.mark.parametrize(
    "max_rows, neighbours, l1, l2_squared",
    [(1, Neighbours.ADD_REMOVE, 1, 1), (1, Neighbours.REPLACE, 2, 2), (3, Neighbours.ADD_REMOVE, 3, 9)],
)
def test_the_unit_sets_sensitivity(max_rows: int, neighbours: Neighbours, l1: int, l2_squared: int) -> None:
    change = Terms(rows=max_rows, neighbours=neighbours)
    assert (change.l1, change.l2_squared) == (l1, l2_squared)
    assert Marginal(("a",)).variance(5 * 10**11, change) == l2_squared


@pytest.mark.parametrize("clique", [(), ("z",), ("b", "a"), ("a", "a")])
def test_only_canonical_questions_are_answered(ledger: Ledger, clique: tuple[str, ...]) -> None:
    with refused(Code.QUERY_INVALID):
        source(ledger).ask([(Marginal(clique), 0.1)])
    assert ledger.balance("p").spent == 0


class Telltale(Codes):
    """Codes whose counting fails with words that must not get out."""

    def counts(self, axes: object) -> np.ndarray:
        raise KeyError("SECRET in row 17")

    all_counts = counts


NAN, INF = float("nan"), float("inf")
PAIR = (("a", "b"),)


@pytest.mark.parametrize(
    "score",
    [
        *(gap(np.array([1.0, bad, 0.0]), np.zeros(2)) for bad in (NAN, INF, -INF, 1e300, 1e18)),
        *(gap(np.zeros(size), np.zeros(2)) for size in (0, 1, 2, 4)),
        *(L1Gap((("a",),), (np.zeros(3),), (1,), (bad,)) for bad in (NAN, INF, -INF, 1e300)),
        L1Gap((("a",),), (np.full(3, 1e9),), (1 << 40,), (0.0,)),
        *(L1Gap((("a",),), (np.zeros(3),), (weight,), (0.0,)) for weight in (1 << 40, 1 << 60, 10**30)),
        *(gap(np.array([large, large, 0]), np.zeros(2)) for large in (1 << 62, (1 << 62) + (1 << 53))),
        L1Gap((("a",),), (np.zeros(3),), (2.0,), (0.0,)),  # type: ignore[arg-type]
        Dependence(PAIR, ("b",), {"b": np.array([(1 << 63) - 1, (1 << 63) - 1]).astype(np.uint64) + 3}),
        *(
            Dependence(PAIR, ("b",), {"b": np.array(column)})
            for column in ([NAN, 1.0], [INF, 1.0], [-1.0, 2.0], [0.0, 0.0], [1.0], [1.0, 1.0, 1.0])
        ),
    ],
)
@pytest.mark.parametrize("ask", [Selection, Scores])
def test_a_score_of_no_number_is_refused(
    ledger: Ledger, score: L1Gap | Dependence, ask: type[Selection | Scores]
) -> None:
    with refused(Code.QUERY_INVALID):
        source(ledger).ask([(ask(score), 0.1)])
    assert ledger.balance("p").spent == 0


@pytest.mark.parametrize("rho", [NAN, INF, -INF, -0.1, 0.0, 1e300])
def test_a_price_that_is_no_number_is_refused_before_anything_is_charged(ledger: Ledger, rho: float) -> None:
    score = gap(np.zeros(3), np.zeros(2))
    for ask in (
        lambda s: s.ask([(Marginal(("a",)), rho)])[0],
        lambda s: s.ask([(Marginal(("a",)), 0.1), (Marginal(("b",)), rho)]),
        lambda s: s.ask([(Selection(score), rho)])[0],
        lambda s: s.ask([(Scores(score), rho)])[0],
        lambda s: s.ask([(Marginal(("a",)), s.terms.rho_for(rho) if rho else rho)])[0],
    ):
        with pytest.raises((Refusal, BudgetRefused)) as caught:
            ask(source(ledger))
        assert isinstance(caught.value, BudgetRefused) or caught.value.code is Code.QUERY_INVALID
    assert ledger.balance("p").spent == 0


@pytest.mark.parametrize(
    "query",
    [
        *(
            ValuesQuery(column="a", rows=1, l2_squared=1, units=10**9, delta=delta)
            for delta in (NAN, INF, 0.0, -1.0, 0.5)
        ),
        *(
            MagnitudesQuery(column="a", kind=Kind.INTEGER, l2_squared=1, units=units)  # type: ignore[arg-type]
            for units in (0, -1, NAN)
        ),
    ],
)
def test_an_odd_number_is_refused_before_a_charge(
    ledger: Ledger, query: ValuesQuery | MagnitudesQuery
) -> None:
    session = PrivateSession(None, schema(), ledger, "r")  # type: ignore[arg-type]
    with refused(Code.QUERY_INVALID):
        session.ask(query, session.account("preprocess", UNITS))
    assert ledger.balance("p").spent == 0


class Exactly(Marginal):
    """A marginal that forgets its noise."""

    def answer(self, tables: ExactTables, **paid: object) -> bytes:
        return self.plain(self.exact(tables))


class Quiet(L1Gap):
    """A score that claims to move less than it does."""

    def sensitivity(self, l1: int) -> int:
        return 1


class AllRows(MagnitudesQuery):
    def answer(self, table: PrivateTable, **paid: object) -> bytes:
        return b"rows"


@pytest.mark.parametrize(
    "query",
    [Exactly(("a",)), *(ask(Quiet((("a",),), (np.zeros(3),), (1,), (0.0,))) for ask in (Scores, Selection))],
)
def test_an_unknown_query_or_score_is_refused_uncharged(ledger: Ledger, query: Query[Any]) -> None:
    with refused(Code.QUERY_INVALID):
        source(ledger).ask([(query, 0.1)])
    assert ledger.balance("p").spent == 0


class Changing(list[tuple[Query[Any], float]]):
    """Questions that are others whenever they are looked at again."""

    def __iter__(self) -> Iterator[tuple[Query[Any], float]]:
        yield self.pop(0) if len(self) > 1 else self[0]


def test_the_questions_that_are_checked_are_those_that_are_asked(ledger: Ledger) -> None:
    requested = Changing([(Marginal(("a",)), 0.1), (Exactly(("b",)), 0.1)])
    (answer,) = source(ledger).ask(requested)
    assert answer.clique == ("a",)


@pytest.mark.parametrize(
    ("query", "delta_units"),
    [
        (AllRows(column="a", kind=Kind.INTEGER, l2_squared=9, units=10**9), 0),
        (MagnitudesQuery(column="a", kind=Kind.INTEGER, l2_squared=8, units=10**9), 0),
        (TreeQuery(axis=Axis(column=NUMBER, edges=(0.0, 1.0, 2.0)), change=2, units=10**9), 0),
        (ValuesQuery(column="a", rows=2, l2_squared=9, units=10**9, delta=1e-9), 10**9),
        (ValuesQuery(column="a", rows=3, l2_squared=8, units=10**9, delta=1e-9), 10**9),
        (ValuesQuery(column="a", rows=3, l2_squared=9, units=10**9, delta=1e-9), 10**9 - 1),
    ],
)
def test_too_little_noise_is_refused_before_a_charge(
    ledger: Ledger, query: TableQuery, delta_units: int
) -> None:
    ledger.open_population("q", units=UNITS, reason="test", protects=ProtectedChange(max_rows=3))
    ledger.open_run(
        "q", "s", units=UNITS, delta_units=delta_units, label="t", protects=ProtectedChange(max_rows=3)
    )
    declared = replace(schema(3), population="q")
    table = PrivateTable.of({"a": ["1"], "b": ["1"]}, declared)
    session = PrivateSession(table, declared, ledger, "s")
    with refused(Code.QUERY_INVALID):
        session.ask(query, session.account("preprocess", UNITS), delta_units=delta_units)
    assert ledger.balance("q").spent == 0


def test_a_failure_behind_the_wall_has_no_cause_and_no_words_of_its_own(ledger: Ledger) -> None:
    s = source(ledger, codes=Telltale.of(ROWS, DOMAIN))
    with pytest.raises(Refusal) as caught:
        s.ask([(Marginal(("a",)), 0.1)])
    assert caught.value.code is Code.INTERNAL
    assert caught.value.__cause__ is None and caught.value.__context__ is None
    assert "SECRET" not in "".join(traceback.format_exception(caught.value))
    assert ledger.balance("p").spent == 10**11, "what was charged stays charged"


class Counting(Codes):
    """Codes that note which tables are counted together, and what the ledger had charged by then."""

    ledger: Ledger
    noted: list[tuple[list[tuple[int, ...]], int]]

    def all_counts(self, cliques: Sequence[Sequence[int]]) -> list[np.ndarray]:
        self.noted.append(([tuple(axes) for axes in cliques], self.ledger.balance("p").spent))
        return super().all_counts(cliques)


def test_a_batch_is_counted_together_after_all_of_it_was_charged(ledger: Ledger) -> None:
    codes = Counting.of(ROWS, DOMAIN)
    codes.ledger, codes.noted = ledger, []
    s = source(ledger, codes=codes)
    s.ask([(Marginal(clique), 0.1) for clique in (("a",), ("b",), ("a", "b"))])
    assert codes.noted == [([(0,), (1,), (0, 1)], 3 * 10**11)]
    with pytest.raises(BudgetRefused):
        s.ask([(Marginal(("a",)), 1.0), (Marginal(("b",)), 1.0)])
    assert len(codes.noted) == 1, "what is not paid for is not counted"
    s.ask([(Scores(gap(np.zeros(3), np.zeros(2))), 0.1)])
    assert codes.noted[1:] == [([(0,), (1,)], 4 * 10**11)]


GROUPS = {"a": (0, 1, 1)}


@pytest.mark.parametrize("group_of", [(0, 1), (0, 1, 1, 1), (0, 2, 2), (0, -1, 1)])
def test_groups_must_cover_the_column(ledger: Ledger, group_of: tuple[int, ...]) -> None:
    with pytest.raises(Refusal):
        source(ledger).ask([(Marginal(("a",), {"a": group_of}), 0.1)])
    assert ledger.balance("p").spent == 0


def test_another_share_pays_for_the_same_codes(ledger: Ledger) -> None:
    s = source(ledger, units=UNITS - 10**6)
    other = s.paid_by(Account(ledger, "r", part="comparison", units=10**6, population="p"))
    (m,) = other.ask([(Marginal(("a",), GROUPS), 1e-6)])
    assert (m.part, m.step, m.units, m.groups) == ("comparison", 0, 10**6, GROUPS)
    assert s.left.rho == pytest.approx(2 - 1e-6) and other.left.rho == 0
    with pytest.raises(BudgetRefused):
        other.ask([(Marginal(("a",)), 1e-6)])


def test_a_question_about_groups_is_not_coarsened_again() -> None:
    for query in (Marginal(("a",)), Scores(gap(np.ones(3), np.ones(2)))):
        with pytest.raises(ValueError, match="again"):
            query.within(GROUPS).within(GROUPS)


def test_a_run_for_training_refuses_a_choice_before_anything_is_charged(tmp_path: Path) -> None:
    ledger = opened(tmp_path / "sampled.sqlite", 10**18, run=10**17, law=SAMPLED)
    training = source(ledger, units=10**17, law=SAMPLED)
    with pytest.raises(Refusal) as caught:
        training.ask([(Selection(gap(np.ones(3), np.ones(2))), 0.5)])
    assert caught.value.code is Code.QUERY_INVALID and caught.value.__cause__ is None
    assert training.left.rho == 10**5


@pytest.mark.parametrize("replaces", [False, True])
def test_a_law_for_added_units_answers_nothing_where_one_is_replaced(tmp_path: Path, replaces: bool) -> None:
    """Not even what would cost the same under another law."""
    ledger = opened(tmp_path / "l.sqlite", UNITS, run=UNITS, law=SAMPLED)
    declared = schema(rows_public=4 if replaces else None)
    assert (declared.neighbours is Neighbours.REPLACE) == replaces
    requested = source(ledger, declared, law=SAMPLED)
    if not replaces:
        assert requested.ask([(Marginal(("a",)), 0.5)])[0].law == SAMPLED
        return
    with refused(Code.QUERY_INVALID):
        requested.ask([(Marginal(("a",)), 0.5)])
    assert ledger.balance("p").spent == 0


def test_the_noise_of_a_gaussian_run_is_rounded_and_of_another_discrete() -> None:
    """At sigma 1/4 a discrete Gaussian is 0 but for 1 draw in 1500, a rounded one but for 1 in 22."""
    shares = {}
    for law in (GAUSSIAN, ZCDP):
        tape = Free(law)
        rows = np.zeros((1, 1), dtype=np.int64)
        domain = Domain(("a",), (20_000,))
        private = PrivateSource(Codes.of(rows, domain), domain, tape, schema=schema())
        counts = private.ask([(Marginal(("a",)), 8.0)])[0].counts
        shares[law == GAUSSIAN] = float((counts[1:] != 0).mean())
    assert 0.036 < shares[True] < 0.055 and shares[False] < 0.003


@pytest.mark.parametrize(("law", "max_rows"), [(GAUSSIAN, 1), (ZCDP, 1), (ZCDP, 3)])
def test_scores_get_the_noise_of_their_number_and_sensitivity(law: Law, max_rows: int) -> None:
    """800 scores of sensitivity 2 move by 2 sqrt(800) in L2, so sigma^2 = 3200 / (2 rho), by rows a unit."""
    columns = tuple(f"c{i}" for i in range(800))
    domain = Domain(columns, (2,) * 800)
    codes = Codes.of(np.zeros((4, 800), dtype=np.int64), domain)
    tape = Free(law)
    private = PrivateSource(codes, domain, tape, schema=schema(max_rows=max_rows))
    counts = np.array([4.0, 0.0])
    score = L1Gap(tuple((c,) for c in columns), (counts,) * 800, (2,) * 800, (0.0,) * 800)
    found = private.ask([(Scores(score), 0.5)])[0]
    sigma = np.sqrt(3200) * max_rows
    assert found.sigma == pytest.approx(sigma)
    assert found.values.std() == pytest.approx(sigma, abs=5 * sigma / np.sqrt(1600))


def test_a_mistaken_room_is_refused_by_the_ledger(tmp_path: Path) -> None:
    """Discrete noise in a run that was reserved as Gaussian: the charge itself is refused."""
    ledger = opened(tmp_path / "l.sqlite", 10**18, run=10**17, law=GAUSSIAN)
    with refused(Code.QUERY_INVALID):
        source(ledger).ask([(Marginal(("a",)), 0.1)])
    assert ledger.balance("p").spent == 0


BATCH = [(("a",), 0.125), (("b",), 1e-7 / 3), (("a", "b"), 0.25), (("a",), 0.3)]


def test_a_batch_beyond_the_share_or_with_one_odd_question_charges_nothing(ledger: Ledger) -> None:
    s = source(ledger, units=5 * 10**11)
    with pytest.raises(BudgetRefused):
        s.ask([(Marginal(r), rho) for r, rho in BATCH])
    for odd in ((("b", "a"), 0.1), (("a",), 0.0)):
        with refused(Code.QUERY_INVALID):
            s.ask([(Marginal(r), rho) for r, rho in [*BATCH[:2], odd]])
    assert ledger.balance("p").spent == 0 and s.ask([]) == () and s.left.rho == 0.5
    assert [m.step for m in s.ask([(Marginal(r), rho) for r, rho in BATCH[:2]])] == [0, 1]
