"""Test the reservations, queries and guarantees of runs that train on private gradients."""

import math
from pathlib import Path
from typing import Any

import pytest

from synth.core.accounting import SAMPLED, Law, limit_for
from synth.core.accounting.guarantee import rho_of
from synth.core.accounting.sampled import order_for
from synth.core.errors import Code, Mistake
from synth.private.ledger import Ledger
from tests.ledgers import opened
from tests.refusals import refused

UNITS = 10**9


def line(path: Path, *, delta: float = 1e-9, law: Law = SAMPLED) -> Ledger:
    return opened(path / "ledger.sqlite", limit_for(5.0, delta), run=10 * UNITS, law=law)


def ask(ledger: Ledger, *, step: int = 0, **query: Any) -> bytes:
    stated = {"ask": "train", "law": "sampled", **query}
    return ledger.ask("r", part="m", step=step, query=stated, units=UNITS, answer=lambda: b"noisy")


def test_training_is_charged_only_if_its_price_holds_where_it_is_read(tmp_path: Path) -> None:
    ledger, enough = line(tmp_path), math.ceil(order_for(rho_of(UNITS)))
    with refused(Code.QUERY_INVALID):
        ask(ledger, most=enough - 1)
    assert ledger.balance("p").spent == 0
    assert ask(ledger, most=enough) == b"noisy" and ledger.balance("p").spent == UNITS
    later = math.ceil(order_for(rho_of(2 * UNITS)))
    assert later < enough and ask(ledger, step=1, most=later) == b"noisy" and ledger.verify()


def test_a_line_with_a_smaller_delta_takes_no_training_and_none_is_given_it_later(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=r"lifetime delta 9\.9e-13 of population 'p' is too small"):
        line(tmp_path, delta=1e-12)
    (tmp_path / "b").mkdir()
    ledger = line(tmp_path / "b")
    with pytest.raises(Mistake, match="too small"):
        ledger.raise_limit("p", limit_for(20.0, 1e-12), "less delta", delta_units=10**7)
    ledger.raise_limit("p", limit_for(20.0, 1e-9), "more epsilon")
