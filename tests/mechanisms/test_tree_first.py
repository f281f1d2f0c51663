"""Prices of pairs, those of one tree first."""

from __future__ import annotations

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.mechanisms.columns_first import PairAllocation
from synth.mechanisms.tree_first import BESIDE, tree_first_prices
from synth.models.coarse import Coarsening
from synth.private.counting.codes import Codes
from synth.private.exact import Exact

DOMAIN = Domain(tuple("abcd"), (4, 4, 4, 4))
ROWS = 4000.0


def priced(
    errors: dict[Clique, float],
    *,
    by_chance: dict[Clique, float] | None = None,
    rho: float = 0.01,
    cap: int = 16,
) -> list[tuple[Clique, float]]:
    allocation = PairAllocation(
        coarsening=Coarsening(DOMAIN, ()),
        weights=dict.fromkeys(errors, 1.0),
        errors=errors,
        shares={name: np.full(4, 1 / 4) for name in DOMAIN.names},
        widths=dict.fromkeys(DOMAIN.names, 0.0),
        total=ROWS,
        typical=20.0,
    )
    source = Exact(Codes.of(np.zeros((1, 4), dtype=np.int64), DOMAIN), DOMAIN, rho=rho)
    return tree_first_prices(allocation, source, (), cap=cap, by_chance=by_chance or {})


def test_strong_pairs_of_a_tree_come_first_and_all_of_the_price_is_laid_out() -> None:
    errors: dict[Clique, float] = {
        ("a", "b"): 3000.0,
        ("b", "c"): 2000.0,
        ("a", "c"): 1500.0,
        ("c", "d"): 0.0,
    }
    prices = priced(errors)
    assert [r for r, _ in prices][:2] == [("a", "b"), ("b", "c")]
    assert sum(rho for _, rho in prices) == pytest.approx(0.01)
    bought = dict(prices)
    assert bought["a", "b"] >= bought["b", "c"] > bought.get(("c", "d"), 0.0)


def test_what_chance_put_into_a_pair_is_worth_as_much_beside_the_tree_as_inside() -> None:
    errors: dict[Clique, float] = {("a", "b"): 3000.0, ("b", "c"): 2000.0, ("a", "c"): 500.0}
    related = dict(priced(errors, rho=0.003))
    random = dict(priced(errors, by_chance={("a", "c"): 500.0}, rho=0.003))
    assert ("a", "c") not in related
    assert random["a", "c"] > 0
    assert random == dict(priced(errors, by_chance={("a", "c"): 900.0}, rho=0.003))


def test_of_a_pair_beside_the_tree_chance_counts_in_whole_and_the_relation_less() -> None:
    """Of an error of 500 a part of 300 by chance leaves a relation of 400: together worth the root of
    300^2 + (0.6 400)^2, about 384, as a pair that is nothing but chance and as far off as that."""
    strong: dict[Clique, float] = {("a", "b"): 3000.0, ("b", "c"): 2000.0}
    ac: Clique = ("a", "c")
    worth = np.hypot(300, BESIDE * 400)

    def is_bought(error: float, random: float, rho: float) -> bool:
        return ac in dict(priced({**strong, ac: error}, by_chance={ac: random}, rho=rho))

    shares = np.geomspace(0.0003, 0.01, 60)
    mixed = [is_bought(500.0, 300.0, rho) for rho in shares]
    assert mixed == [is_bought(worth, worth, rho) for rho in shares]
    told = [sum(is_bought(error, error, rho) for rho in shares) for error in (300.0, 500.0)]
    assert 0 < told[0] < sum(mixed) < told[1] < len(shares)


def test_where_nothing_is_worth_its_price_one_pair_takes_it_all() -> None:
    errors: dict[Clique, float] = dict.fromkeys([("a", "b"), ("c", "d")], 0.0)
    ((_, rho),) = priced(errors)
    assert rho == pytest.approx(0.01)
