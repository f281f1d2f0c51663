"""A budget line tells one promise, reads all its figures at it, and knows the raise that mends too little."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.accounting import GAUSSIAN, MIXED, ZCDP, Law, Price, limit_beside_lists, limit_for
from synth.core.errors import BudgetRefused
from synth.private.ledger import Ledger
from tests.ledgers import PERSON, opened

UNITS = limit_for(1.0, 1e-9)
GAUSSIAN_QUESTION, OTHER = {"ask": "measure", "law": "gaussian"}, {"ask": "choose"}


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return opened(tmp_path / "l.sqlite", limit_for(4.0, 1e-9))


def spend(ledger: Ledger, run: str, units: int, *, law: Law, delta_units: int = 0) -> None:
    ledger.open_run("p", run, units=units, delta_units=delta_units, label="", law=law, protects=PERSON)
    query = GAUSSIAN_QUESTION if law == GAUSSIAN else OTHER
    ledger.ask(run, part="m", step=0, query=query, units=units, delta_units=delta_units, answer=lambda: b"")
    ledger.close_run(run)


def test_the_limit_reads_as_the_promise_whatever_law_holds(ledger: Ledger) -> None:
    laws = []
    for run, law in (("first", GAUSSIAN), ("second", ZCDP)):
        spend(ledger, run, UNITS.units // 4, law=law)
        line = ledger.balance("p")
        laws.append(line.law)
        assert line.lifetime == (4.0, 1e-9)
        assert line.claim(line.limit or 0) == pytest.approx(4.0, rel=1e-9)
        assert 0 < line.claim(line.spent) < 4.0
    assert laws == [GAUSSIAN, MIXED]


def test_a_line_of_before_is_told_with_its_lists_on_top(tmp_path: Path) -> None:
    """Ledgers of version 2 guaranteed a delta, with 1e-9 for lists in addition."""
    ledger = opened(tmp_path / "l.sqlite", limit_beside_lists(4.0, 1e-9, delta_units=0), delta=10**9)
    assert ledger.verify() and ledger.balance("p").lifetime == (4.0, 2e-9)
    ledger.raise_limit("p", ledger.balance("p").raised(5.0), "more")
    assert ledger.verify() and ledger.balance("p").lifetime == (5.0, 2e-9)
    assert [stated["delta"] for stated in ledger.listing()[0]["limits"]] == [2e-9, 2e-9]


@settings(max_examples=10, deadline=None)
@given(
    epsilon=st.floats(0.1, 12).map(lambda x: round(x, 3)),
    delta=st.sampled_from([1e-12, 1e-9, 3.3e-8]),
    spent=st.sampled_from(["nothing", "gaussian", "other", "both"]),
    in_rho=st.booleans(),
    requested=st.floats(0.1, 20),
    lists=st.sampled_from([0, 10**5, 10**9]),
    law=st.sampled_from([GAUSSIAN, ZCDP]),
)
def test_the_raise_that_is_advised_lets_the_run_through(
    epsilon: float,
    delta: float,
    spent: str,
    in_rho: bool,
    requested: float,
    lists: int,
    law: Law,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    limit = limit_for(epsilon, delta)
    ledger = opened(tmp_path_factory.mktemp("l") / "l.sqlite", limit.units if in_rho else limit)
    if spent in ("gaussian", "both"):
        spend(ledger, "g", limit.mixed_units // 2, law=GAUSSIAN)
    if spent in ("other", "both"):
        spend(ledger, "o", limit.mixed_units // 2, law=ZCDP, delta_units=limit.delta_units // 2)
    price = Price(
        units=limit_for(requested, 1e-7).under(law), delta_units=0 if law == GAUSSIAN else lists, law=law
    )
    try:
        ledger.open_run("p", "r", label="", **vars(price), protects=PERSON)
    except BudgetRefused as refused:
        found = re.search(r"--epsilon (\S+) --delta ([^\s)]+)", str(refused))
        assert found is not None
        advised = ledger.balance("p").raised(*map(float, found.groups()))
        ledger.raise_limit("p", advised, "as advised")
        ledger.open_run("p", "r", label="", **vars(price), protects=PERSON)
        stated = ledger.balance("p").lifetime
        assert stated == pytest.approx([float(number) for number in found.groups()], rel=1e-9)
    assert ledger.verify()
    ledger.close()


def test_the_refusal_says_which_currency_is_short(ledger: Ledger) -> None:
    with pytest.raises(BudgetRefused, match=r"requested delta 2e-11, left 1e-11.*epsilon 4 at delta 2e-9"):
        ledger.open_run("p", "r", units=1, delta_units=2 * 10**7, label="", protects=PERSON)
    with pytest.raises(
        BudgetRefused,
        match=r"epsilon 5 was .* at delta 1e-9, .* epsilon 4 is left.*the lifetime limit to epsilon 5 ",
    ):
        ledger.open_run("p", "r", units=limit_for(5.0, 1e-9).units, label="", protects=PERSON)
