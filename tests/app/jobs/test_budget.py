from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from synth.app.jobs.budget import charged, close, find, open_line, quote
from synth.core.accounting import GAUSSIAN, limit_for
from synth.core.errors import BudgetRefused, Mistake
from synth.core.schema import ProtectedChange
from synth.private.ledger import Ledger

ONE = limit_for(1, 1e-9).gaussian_units
TEN = limit_for(10, 1e-9)


@pytest.fixture
def ledger(spec):
    opened = Ledger(Path(spec.ledger))
    yield opened
    opened.close()


@pytest.fixture
def spec(spec):
    schema = {
        "name": "s", "population": "p", "unit": {"max_rows": 1},
        "columns": [{"name": "age", "kind": "integer", "min": 0, "max": 9}],
    }  # fmt: skip
    return replace(spec, schema=schema, rules=None, options={})


def ask(ledger, run, units):
    ledger.ask(run, part="m", step=0, query={"ask": "x"}, units=units, answer=lambda: b"7")


@pytest.mark.parametrize(
    ("change", "limit"),
    [
        ({"lifetime_epsilon": 2.0}, limit_for(2, 1e-9).gaussian_units),
        ({"epsilon": 20.0}, limit_for(10, 1e-9).gaussian_units),
        ({"delta": 1e-6, "lifetime_epsilon": 1.0}, limit_for(1, 1e-9).gaussian_units),
        ({"method": "aim", "lifetime_epsilon": 2.0}, limit_for(2, 1e-9).gaussian_units),
        ({"method": "ctgan", "lifetime_epsilon": 2.0}, limit_for(2, 1e-9).units),
        ({"method": "ctgan", "epsilon": 20.0}, limit_for(10, 1e-9).units),
        ({"epsilon": 8.0, "lifetime_epsilon": 4.0}, limit_for(4, 1e-9).gaussian_units),
    ],
)
def test_a_new_line_has_the_lifetime_limit_that_was_agreed_whatever_the_release_asks(spec, change, limit):
    requested = replace(spec, **change)
    offer = quote(requested)
    assert offer.limit == limit
    if offer.price.units > limit:
        with pytest.raises(BudgetRefused, match="with a higher limit"):
            offer.check()
    with closing(Ledger(Path(spec.ledger))) as ledger:
        assert open_line(ledger, requested) is not None
        assert ledger.balance("p").limit_under(offer.price.law) == limit


def test_a_run_opens_no_line_that_was_not_agreed(spec, ledger):
    unagreed = replace(spec, lifetime_epsilon=None)
    with pytest.raises(Mistake, match="no lifetime budget"):
        quote(unagreed)
    assert open_line(ledger, unagreed) is None and ledger.populations() == ()


def test_a_run_about_another_unit_or_under_a_name_that_looks_alike_is_refused_when_quoted(spec, ledger):
    open_line(ledger, spec)
    assert ledger.balance("p").protects == ProtectedChange(max_rows=1)
    visits = {**spec.schema, "unit": {"name": "visit", "max_rows": 1}}
    with pytest.raises(Mistake, match="this release protects one visit"):
        quote(replace(spec, schema=visits))
    alike = {**spec.schema, "population": "р"}  # noqa: RUF001 (a Cyrillic letter)
    with pytest.raises(Mistake, match="looks like 'p'"):
        quote(replace(spec, schema=alike, population=alike["population"]))


def test_the_line_is_opened_once_with_a_sentence(spec, ledger):
    said = open_line(ledger, spec)
    assert "'p'" in said
    assert "epsilon 10 " in said
    line = ledger.balance("p")
    assert line.limit_under(GAUSSIAN) == line.limit == TEN.gaussian_units
    assert open_line(ledger, replace(spec, lifetime_epsilon=3.0)) is None
    assert ledger.balance("p") == line


def test_a_line_that_does_not_cover_it_refuses_with_three_numbers(spec, ledger):
    ledger.open_population("p", units=ONE, reason="test", protects=ProtectedChange(max_rows=1))
    assert quote(spec).left == ONE
    ledger.open_run("p", "other", units=10, label="x", protects=ProtectedChange(max_rows=1))
    with pytest.raises(BudgetRefused) as caught:
        quote(spec).check()
    assert (caught.value.requested, caught.value.left, caught.value.missing) == (ONE, ONE - 10, 10)


def test_charges_are_read_from_the_ledger_and_a_close_frees_the_rest(spec, ledger):
    assert charged(Path(spec.ledger), spec.run) == (0, 0)
    open_line(ledger, spec)
    assert find(Path(spec.ledger), spec.run) is None
    ledger.open_run("p", spec.run, units=ONE, label="x", protects=ProtectedChange(max_rows=1))
    ask(ledger, spec.run, 100)
    assert charged(Path(spec.ledger), spec.run) == (100, ONE)
    assert close(Path(spec.ledger), spec.run) == 100
    assert charged(Path(spec.ledger), spec.run) == (100, 100)
    assert ledger.balance("p").left == TEN.units - 100
