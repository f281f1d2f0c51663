"""Test shares of a reservation: costs one after the other, and batches that are charged completely or not at
all.
"""

import traceback
from collections.abc import Sequence
from pathlib import Path

import pytest

from synth.core.errors import BudgetRefused, Code, Refusal
from synth.private.account import Account
from synth.private.ledger import Ask, Ledger
from tests.ledgers import opened
from tests.refusals import refused


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return opened(tmp_path / "ledger.sqlite", 10**12, run=1000, delta=50, run_delta=20)


def account(ledger: Ledger, units: int = 500) -> Account:
    return Account(ledger, "r", part="m", units=units, population="p")


def asks(prices: Sequence[int], answer: bytes = b"x") -> list[Ask]:
    return [Ask(query={"ask": i}, units=units, answer=lambda: answer) for i, units in enumerate(prices)]


def test_a_batch_beyond_the_share_charges_nothing_and_moves_nothing(ledger: Ledger) -> None:
    share = account(ledger)
    with pytest.raises(BudgetRefused) as caught:
        share.ask_all(asks([200, 200, 101]))
    assert (caught.value.requested, caught.value.left) == (501, 500)
    assert (share.left, share.step, ledger.balance("p").spent) == (500, 0, 0)
    assert share.ask_all(asks([200, 200, 100])) == (b"x",) * 3
    assert (share.left, share.step, ledger.balance("p").spent) == (0, 3, 500)


@pytest.mark.parametrize("prices", [[10, 0], [10, -5]])
def test_no_question_is_for_nothing(ledger: Ledger, prices: list[int]) -> None:
    with refused(Code.QUERY_INVALID):
        account(ledger).ask_all(asks(prices))
    assert ledger.balance("p").spent == 0


def test_the_reservation_holds_whatever_a_share_says(ledger: Ledger) -> None:
    with pytest.raises(BudgetRefused) as caught:
        account(ledger, units=2000).ask_all(asks([600, 600]))
    assert (caught.value.requested, caught.value.left) == (1200, 1000)
    assert ledger.balance("p").spent == 0


def test_a_failing_answer_has_no_words_of_its_own_and_is_asked_again_under_its_charge(ledger: Ledger) -> None:
    def fail() -> bytes:
        raise KeyError("SECRET in row 17")

    share = account(ledger)
    with pytest.raises(Refusal) as caught:
        share.ask_all([*asks([10]), Ask(query={"ask": 1}, units=20, answer=fail)])
    assert caught.value.code is Code.INTERNAL
    assert caught.value.__cause__ is None and caught.value.__context__ is None
    assert "SECRET" not in "".join(traceback.format_exception(caught.value))
    assert ledger.balance("p").spent == 30 and ledger.answers("r") == () and share.step == 0
    assert share.ask_all(asks([10, 20], b"again")) == (b"again", b"again")
    assert ledger.balance("p").spent == 30 and share.left == 470
