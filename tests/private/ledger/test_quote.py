"""Test that all figures of a quote follow from its price and its budget."""

import math
from dataclasses import replace
from statistics import NormalDist

import pytest

from synth.core.accounting import GAUSSIAN, MIXED, SAMPLED, ZCDP, Law, Price, limit_for
from synth.core.errors import BudgetRefused
from synth.private.ledger import Balance
from synth.private.ledger.quote import Quote

LIMIT = limit_for(4.0, 1e-9)
LINE = Balance.opened("p", LIMIT)
SPENT = replace(LINE, spent=LIMIT.gaussian_units // 5, law=GAUSSIAN)


def quote(
    line: Balance = LINE,
    *,
    epsilon: float = 1.0,
    delta: float = 1e-9,
    law: Law = ZCDP,
    lists: int = 0,
    opens: bool = False,
) -> Quote:
    units = limit_for(epsilon, delta).under(law)
    price = Price(units=units, delta_units=lists, law=law)
    return Quote(epsilon=epsilon, delta=delta, price=price, line=line, opens=opens)


@pytest.mark.parametrize("law", [GAUSSIAN, ZCDP])
def test_a_run_at_the_lines_own_delta_counts_as_what_it_promises(law: Law) -> None:
    offer = quote(law=law)
    assert offer.claim == pytest.approx(1.0, rel=1e-9) and not offer.exceeds_delta
    looser = quote(delta=1e-7, law=law)
    assert looser.claim > 1.1 and looser.exceeds_delta


def test_what_is_spent_does_not_depend_on_the_run_that_comes_next() -> None:
    same, other = quote(SPENT, law=GAUSSIAN), quote(SPENT, law=ZCDP)
    assert same.limit == other.limit == LIMIT.gaussian_units
    assert same.before() == other.before() == pytest.approx({"spent": 0.2, "left": 0.8}, rel=1e-6)
    assert same.after()["spent"] == other.after()["spent"]
    assert same.limit_after == same.limit and "given up" not in same.after()
    assert other.limit_after == LIMIT.mixed_units and other.after()["given up"] > 0.1
    for offer in (same, other):
        assert sum(offer.after().values()) == pytest.approx(1.0)


def test_the_room_is_counted_in_both_currencies() -> None:
    small = quote(epsilon=0.1)
    assert small.room == LIMIT.units // small.price.units - 1 > 100
    lists = quote(epsilon=0.1, lists=10**5)
    assert lists.room == 99, "a hundredth of delta 1e-9 is a hundred times 1e-13"
    last = replace(LINE, delta_spent=LINE.delta_limit - 10**5)
    assert quote(last, lists=10**5).room == 0 and quote(last, lists=10**5).covers


def test_a_run_that_does_not_fit_is_refused_with_the_promise_that_would_do() -> None:
    used_up = replace(LINE, delta_spent=LINE.delta_limit)
    with pytest.raises(BudgetRefused, match=r"to epsilon 4 at delta 1\.1e-9") as lists:
        quote(used_up, lists=10**5).check()
    assert lists.value.currency == "delta"
    with pytest.raises(BudgetRefused, match=r"open the lifetime budget with .* epsilon 5 at") as rho:
        quote(epsilon=5.0, opens=True).check()
    assert rho.value.currency == "rho"
    large = quote(epsilon=5.0)
    assert not large.covers and large.left_after == 0 and large.room == 0
    assert large.facts()["left_after"] == 0
    assert large.cure() == (5.0, 1e-9)
    assert quote(epsilon=large.largest_epsilon).covers
    with pytest.raises(BudgetRefused, match=rf"epsilon 5 was .* epsilon {large.largest_epsilon:g} is left"):
        large.check()


def test_planned_releases_share_what_remains() -> None:
    assert quote(epsilon=quote(epsilon=5.0).epsilon_each(12)).room == 11


def test_a_share_has_the_same_basis_before_and_after_a_training() -> None:
    first, training = quote(SPENT, law=GAUSSIAN), quote(SPENT, law=SAMPLED)
    assert first.lost == 0 and training.lost == pytest.approx(
        1 - LIMIT.mixed_units / LIMIT.gaussian_units, rel=1e-9
    )
    after = replace(SPENT, spent=SPENT.spent + training.price.units, law=MIXED)
    again = quote(after, law=GAUSSIAN)
    assert again.before()["spent"] == pytest.approx(0.2 + training.share)
    assert again.before()["given up"] == training.lost and again.lost == 0
    assert again.share == first.share and again.share_left == pytest.approx(training.share_after)


def test_odds_are_those_of_the_run_of_all_releases_and_of_the_limit() -> None:
    """Recomputed from mu, which adds up as squares."""

    def right(units: int) -> float:
        return NormalDist().cdf(math.sqrt(2e-12 * units) / 2)

    offer = quote(SPENT, law=GAUSSIAN)
    odds = offer.odds
    assert odds.alone.guess == pytest.approx(right(offer.price.units))
    assert odds.together.guess == pytest.approx(right(offer.price.units + SPENT.spent))
    assert odds.limit.guess == pytest.approx(right(LIMIT.gaussian_units))
    assert odds.alone.guess < odds.together.guess < odds.limit.guess
    trained = quote(SPENT, law=SAMPLED).odds
    assert trained.alone.guess > odds.alone.guess and trained.limit.guess > odds.limit.guess


def test_the_facts_are_the_figures() -> None:
    offer = quote(SPENT, law=GAUSSIAN)
    facts = offer.facts()
    assert (facts["lifetime_epsilon"], facts["lifetime_delta"]) == (4.0, 1e-9)
    assert facts["share"] == offer.share and facts["left_after"] == offer.left - offer.price.units
