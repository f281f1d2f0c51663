"""Shares of a reservation: prices one after the other, and all of a batch or nothing."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.accounting import rho_of
from synth.core.errors import BudgetRefused, Code, Refusal
from synth.core.schema import ProtectedChange
from synth.private.account import Account
from synth.private.ledger import Ask, Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.open_population(
        "p", units=10**12, delta_units=50, reason="test", protects=ProtectedChange(max_rows=1)
    )
    ledger.open_run("p", "r", units=1000, delta_units=20, label="t", protects=ProtectedChange(max_rows=1))
    return ledger


def account(ledger: Ledger, units: int = 500) -> Account:
    return Account(ledger, "r", part="m", units=units, population="p")


def asks(prices: Sequence[int], answer: bytes = b"x") -> list[Ask]:
    return [Ask(query={"ask": i}, units=units, answer=lambda: answer) for i, units in enumerate(prices)]


RUNS = count()


@pytest.fixture(scope="module")
def many_runs(tmp_path_factory: pytest.TempPathFactory) -> Ledger:
    ledger = Ledger(tmp_path_factory.mktemp("many") / "ledger.sqlite")
    ledger.open_population("p", units=10**12, reason="test", protects=ProtectedChange(max_rows=1))
    return ledger


def run_of_its_own(ledger: Ledger, units: int) -> Account:
    run = f"r{next(RUNS)}"
    ledger.open_run("p", run, units=units, label="t", protects=ProtectedChange(max_rows=1))
    return Account(ledger, run, part="m", units=units, population="p")


@given(
    share=st.integers(1, 40),
    wanted=st.lists(st.tuples(st.integers(0, 12), st.floats(-0.4, 0.4)), max_size=8),
    rest=st.booleans(),
)
@settings(deadline=None)
def test_prices_of_a_batch_are_those_of_single_questions(
    many_runs: Ledger, share: int, wanted: list[tuple[int, float]], rest: bool
) -> None:
    """Small shares, so that the rule of the last dust is met often."""
    together, alone = (run_of_its_own(many_runs, share) for _ in range(2))
    rhos = [max(0.0, units + more) * 1e-12 for units, more in wanted]
    if rest:
        rhos.append(rho_of(max(0, share - sum(together.allowance.prices(rhos)))))
    found = together.allowance.prices(rhos)
    for rho, units in zip(rhos, found, strict=True):
        (single,) = alone.allowance.prices([rho])
        assert single == units
        if not 0 < units <= alone.left:
            spent = many_runs.balance("p").spent
            with pytest.raises((BudgetRefused, Refusal)):
                together.ask_all(asks(found))
            assert many_runs.balance("p").spent == spent and together.step == 0
            return
        alone.ask_all(asks([units]))
    together.ask_all(asks(found))
    assert (together.left, together.step) == (alone.left, alone.step)
    assert not rest or together.left == 0


def test_a_batch_beyond_the_share_charges_nothing_and_moves_nothing(ledger: Ledger) -> None:
    share = account(ledger)
    with pytest.raises(BudgetRefused) as refused:
        share.ask_all(asks([200, 200, 101]))
    assert (refused.value.requested, refused.value.left) == (501, 500)
    assert (share.left, share.step, ledger.balance("p").spent) == (500, 0, 0)
    assert share.ask_all(asks([200, 200, 100])) == (b"x",) * 3
    assert (share.left, share.step, ledger.balance("p").spent) == (0, 3, 500)


@pytest.mark.parametrize("prices", [[10, 0], [10, -5]])
def test_no_question_is_for_nothing(ledger: Ledger, prices: list[int]) -> None:
    with pytest.raises(Refusal) as refused:
        account(ledger).ask_all(asks(prices))
    assert refused.value.code is Code.QUERY_INVALID and ledger.balance("p").spent == 0


def test_the_reservation_holds_whatever_a_share_says(ledger: Ledger) -> None:
    with pytest.raises(BudgetRefused) as refused:
        account(ledger, units=2000).ask_all(asks([600, 600]))
    assert (refused.value.requested, refused.value.left) == (1200, 1000)
    assert ledger.balance("p").spent == 0


def test_a_failing_answer_has_no_words_of_its_own_and_is_asked_again_under_its_charge(ledger: Ledger) -> None:
    def fail() -> bytes:
        raise KeyError("SECRET in row 17")

    share = account(ledger)
    with pytest.raises(Refusal) as refused:
        share.ask_all([*asks([10]), Ask(query={"ask": 1}, units=20, answer=fail)])
    assert refused.value.code is Code.INTERNAL
    assert refused.value.__cause__ is None and refused.value.__context__ is None
    assert "SECRET" not in "".join(traceback.format_exception(refused.value))
    assert ledger.balance("p").spent == 30 and ledger.answers("r") == () and share.step == 0
    assert share.ask_all(asks([10, 20], b"again")) == (b"again", b"again")
    assert ledger.balance("p").spent == 30 and share.left == 470
