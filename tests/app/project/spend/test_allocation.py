"""Words into shares: the bar totals one, the run is priced by it, and the engine gets what the bar says."""

import itertools
from dataclasses import replace

import pytest

from synth.app.project import declared, runs
from synth.app.project.spend import allocation
from synth.app.project.spend.allocation import (
    DOMAIN,
    KEPT,
    LATER,
    MEANS,
    PARTS,
    SHARES,
    VERDICT,
    WEIGHTS,
    allocate,
    epsilon_now,
)
from synth.app.project.store import Budget, Method
from synth.core.request import MEANS_SHARE, SHARES_PART
from synth.mechanisms import MECHANISMS
from synth.private.ledger.quote import epsilon_of_rho, rho_of_guarantee

PROJECT = declared.demo()
SCHEMA = declared.read(PROJECT).schema
BUYING = replace(
    SCHEMA, columns=tuple(replace(c, merge_rare=True) if c.name == "ward" else c for c in SCHEMA.columns)
)
AIM = Method(name="aim")


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("schema", [SCHEMA, BUYING], ids=["declared", "open"])
def test_the_bar_totals_one_whatever_the_words(name: str, schema: allocation.Schema) -> None:
    for words in itertools.islice(
        itertools.product(["low", "normal", "max"], repeat=len(PARTS)), 0, None, 123
    ):
        budget = Budget(weights=dict(zip(PARTS, words, strict=True)))
        estimated = words.count("max")
        found = allocate(schema, budget, Method(name=name), share_count=estimated)
        assert (SHARES in found.movable) is (estimated > 0) and 0 < found.shares_part <= 0.1
        assert sum(found.shares.values()) == pytest.approx(1)
        assert min(found.shares.values()) >= 0
        assert set(found.shares) <= set(PARTS)
        assert 0 < found.preprocess_share <= 0.5 and 0 <= found.verdict <= 0.4
        assert set(found.movable) <= set(found.shares)


@pytest.mark.parametrize("name", MECHANISMS)
def test_half_kept_is_half_of_rho_and_this_run_never_costs_more(name: str) -> None:
    budget, method = Budget(epsilon=1.0, weights={LATER: "high"}), Method(name=name)
    whole, half = plan(Budget(epsilon=1.0), method), plan(budget, method)
    assert 0.999 * whole.units / 2 < half.units <= whole.units / 2
    found = allocate(SCHEMA, budget, method)
    assert found.shares[LATER] == 0.5 and found.law == whole.law
    assert epsilon_now(SCHEMA, Budget(epsilon=0.7), method) == 0.7


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_the_pages_count_on_the_price_that_the_run_will_have(name: str, epsilon: float) -> None:
    budget, method = Budget(epsilon=epsilon), Method(name=name)
    made = plan(budget, method)
    rho = rho_of_guarantee(epsilon, budget.delta, law=made.law)
    assert rho == pytest.approx(made.units / 1e12, rel=1e-6)
    assert epsilon_of_rho(rho, budget.delta, law=made.law) == pytest.approx(epsilon, rel=1e-4)


def plan(budget: Budget, method: Method = AIM) -> allocation.Any:
    return runs.spec_of(replace(PROJECT, budget=budget, method=method)).plan()


@pytest.mark.parametrize("word", WEIGHTS)
def test_the_run_gets_the_shares_of_the_bar(word: str) -> None:
    budget = Budget(weights={VERDICT: word, LATER: "normal"})
    made = plan(budget)
    shares = allocate(SCHEMA, budget, AIM).shares
    assert made.verdict == pytest.approx(shares.get(VERDICT, 0) / (1 - KEPT["normal"]))
    open_domain = allocate(BUYING, Budget(weights={DOMAIN: "high"}), AIM)
    assert open_domain.preprocess_share == pytest.approx(open_domain.shares[DOMAIN])
    assert open_domain.preprocess_share > 0.15


def test_every_share_that_is_bought_has_the_part_that_the_bar_shows() -> None:
    found = allocate(SCHEMA, Budget(), AIM, share_count=3)
    assert found.shares[SHARES] == pytest.approx(3 * found.shares_part)
    assert found.shares_part == pytest.approx(0.95 * SHARES_PART / (0.9 + 3 * SHARES_PART))
    more = allocate(SCHEMA, Budget(weights={SHARES: "max"}), AIM, share_count=3)
    assert more.shares_part > 3 * found.shares_part
    assert SHARES not in allocate(SCHEMA, Budget(), AIM).shares


def test_means_that_are_bought_have_the_part_that_the_bar_shows() -> None:
    budget = Budget(means=("income ~ age", "income by ward"))
    found = allocate(SCHEMA, budget, AIM)
    assert MEANS in found.movable and found.means_share == pytest.approx(found.shares[MEANS])
    assert found.means_share == pytest.approx(MEANS_SHARE, rel=0.1), "the accuracy check takes a little"
    made = plan(budget)
    assert (made.means, made.means_share) == (budget.means, pytest.approx(found.means_share))
    most = allocate(SCHEMA, replace(budget, weights={MEANS: "max", VERDICT: "off"}), AIM)
    assert found.means_share < most.means_share <= 0.5
    assert MEANS not in allocate(SCHEMA, Budget(), AIM).shares
