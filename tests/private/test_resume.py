"""A run that was killed goes on although its fits come out otherwise: what was charged before leads."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.errors import Code, Refusal
from synth.core.measurements.noisy import Choice
from synth.core.schema import Schema, Unit
from synth.private.account import Account
from synth.private.counting.codes import Codes
from synth.private.ledger import Ledger
from synth.private.ledger.blobs import Blobs
from synth.private.queries import Marginal, Query, Scores, Selection
from synth.private.scores import InDif, L1Gap
from synth.private.scores.base import packed
from synth.private.session import PrivateSource
from tests.ledgers import opened
from tests.refusals import refused

DOMAIN = Domain(("a", "b"), (3, 2))
ROWS = np.array([[0, 0], [0, 1], [2, 1], [2, 1]])
SCHEMA = Schema(name="t", population="p", unit=Unit(max_rows=1), columns=())
UNITS = 2 * 10**12
GROUPS = {"a": (0, 0, 1)}


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return opened(tmp_path / "ledger.sqlite", UNITS, run=UNITS)


def source(ledger: Ledger, *, resumes: bool = True, codes: Codes | None = None) -> PrivateSource:
    account = Account(ledger, "r", part="mechanism", units=UNITS, population="p", resumes=resumes)
    return PrivateSource(codes or Codes.of(ROWS, DOMAIN), DOMAIN, account, schema=SCHEMA)


def gap(moved: float = 0.0, cells: int = 3) -> L1Gap:
    estimates = (np.array([1.0, 2.0, 0.5])[:cells] + moved, np.ones(2) - moved)
    return L1Gap((("a",), ("b",)), estimates, (3, 1), (0.5 + moved, 0.0))


def requested(query: Query[Any], rho: float = 0.25) -> list[tuple[Query[Any], float]]:
    return [(query, rho)]


def stated(answer: Any) -> dict[str, Any]:
    """An answer in values that can be compared."""
    known: Mapping[str, Any] = vars(answer)
    found = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in known.items()}
    return {**found, "score": answer.score.facts()} if "score" in found else found


@pytest.mark.parametrize(
    "first, again",
    [
        (Selection(gap()), Selection(gap(0.001))),
        (Selection(gap()), Selection(gap(0.4))),
        (Scores(gap()), Scores(gap(0.001))),
        (Scores(gap(), {}), Scores(gap(cells=2), GROUPS)),
        (Marginal(("a", "b"), GROUPS), Marginal(("a", "b"))),
        (Marginal(("a",)), Marginal(("b",))),
    ],
)
@pytest.mark.parametrize("rho", [0.25, 0.1, 1.9])
def test_charges_are_answered_as_asked(
    ledger: Ledger, first: Query[Any], again: Query[Any], rho: float
) -> None:
    (before,) = source(ledger).ask(requested(first))
    (after,) = source(ledger).ask(requested(again, rho))
    assert stated(after) == stated(before) and after.units == 25 * 10**10
    assert ledger.balance("p").spent == after.units and len(ledger.answers("r")) == 1 and ledger.verify()


def test_without_resuming_any_other_question_is_refused(ledger: Ledger) -> None:
    source(ledger).ask(requested(Selection(gap())))
    with refused(Code.ANSWER_MISMATCH):
        source(ledger, resumes=False).ask(requested(Selection(gap(0.001))))


@pytest.mark.parametrize("other", [Scores(gap()), Marginal(("a",)), Selection(InDif((("a", "b"),)))])
def test_another_kind_of_question_is_refused_and_charges_nothing(ledger: Ledger, other: Query[Any]) -> None:
    source(ledger).ask(requested(Selection(gap())))
    with refused(Code.ANSWER_MISMATCH):
        source(ledger).ask(requested(other))
    assert ledger.balance("p").spent == 25 * 10**10


def test_a_recorded_question_that_does_not_fit_the_domain_is_refused(ledger: Ledger) -> None:
    source(ledger).ask(requested(Marginal(("a", "b"), GROUPS)))
    smaller, account = Domain(("a", "b"), (2, 2)), source(ledger)._account
    other = PrivateSource(Codes.of(ROWS % 2, smaller), smaller, account, schema=SCHEMA)
    with refused(Code.ANSWER_MISMATCH):
        other.ask(requested(Marginal(("b",))))
    assert ledger.balance("p").spent == 25 * 10**10


def test_a_run_of_before_there_were_states_resumes_if_it_asks_the_same(ledger: Ledger) -> None:
    (before,) = source(ledger).ask(requested(Selection(gap())))
    for file in Blobs(ledger.path).folder.iterdir():
        file.unlink()
    assert stated(source(ledger).ask(requested(Selection(gap())))[0]) == stated(before)
    with refused(Code.ANSWER_MISMATCH):
        source(ledger).ask(requested(Selection(gap(0.001))))


def test_a_damaged_or_exchanged_state_is_none(ledger: Ledger) -> None:
    source(ledger).ask(requested(Selection(gap())))
    (file,) = Blobs(ledger.path).folder.iterdir()
    for content in (b"", b"nonsense", gap(0.3).state(), InDif((("a", "b"),)).state()):
        file.write_bytes(content)
        with pytest.raises(Refusal) as caught:
            source(ledger).ask(requested(Selection(gap(0.001))))
        assert caught.value.code is Code.ANSWER_MISMATCH and caught.value.__context__ is None


OVERLARGE = {"cliques": [["a"], ["b"]], "weights": [10**400, 1], "penalties": [0, 0]}


@pytest.mark.parametrize(
    "content",
    [packed(OVERLARGE, [np.zeros(3, dtype=np.int64), np.zeros(2, dtype=np.int64)]), b"[" * 10**6, None],
)
def test_a_wrong_file_in_place_of_a_state_is_refused(ledger: Ledger, content: bytes | None) -> None:
    source(ledger).ask(requested(Selection(gap())))
    (file,) = Blobs(ledger.path).folder.iterdir()
    file.unlink()
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content)
    with pytest.raises(Refusal) as caught:
        source(ledger).ask(requested(Selection(gap(0.001))))
    assert caught.value.code is Code.ANSWER_MISMATCH and caught.value.__context__ is None


class Dying(Codes):
    """Codes of a process that is killed when it counts."""

    def counts(self, axes: object) -> np.ndarray:
        raise KeyboardInterrupt

    all_counts = counts


def test_a_charge_without_answer_is_answered_under_that_charge(ledger: Ledger) -> None:
    with pytest.raises(KeyboardInterrupt):
        source(ledger, codes=Dying.of(ROWS, DOMAIN)).ask(requested(Selection(gap())))
    assert ledger.balance("p").spent == 25 * 10**10 and ledger.answers("r") == ()
    (choice,) = source(ledger).ask(requested(Selection(gap(0.4)), 0.7))
    assert isinstance(choice, Choice) and choice.units == 25 * 10**10
    assert isinstance(choice.score, L1Gap) and choice.score.facts() == gap().facts()
    assert ledger.balance("p").spent == choice.units and ledger.verify()


def batch(*cliques: tuple[str, ...]) -> list[tuple[Marginal, float]]:
    return [(Marginal(clique), 0.25) for clique in cliques]


@pytest.mark.parametrize("again", [[("a",)], [("b",), ("a",)], [("b",), ("a",), ("b",), ("a", "b")]])
def test_a_stored_batch_answers_a_changed_one(ledger: Ledger, again: list[tuple[str, ...]]) -> None:
    before = source(ledger).ask(batch(("a",), ("a", "b"), ("b",)))
    resumed = source(ledger)
    after = resumed.ask(batch(*again))
    assert [stated(m) for m in after] == [stated(m) for m in before]
    assert resumed.left.rho == 1.25 and ledger.balance("p").spent == 75 * 10**10
    (fresh,) = resumed.ask(batch(("b",)))
    assert fresh.step == 3 and ledger.balance("p").spent == UNITS // 2


def test_what_is_left_follows_the_prices_that_were_charged(ledger: Ledger) -> None:
    source(ledger).ask(batch(("a",), ("b",)))
    again = source(ledger)
    assert again.left.after([0.7]).rho == 1.75 and again.left.after([0.7, 0.7, 0.5]).rho == 1.0
