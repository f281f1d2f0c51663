"""TabDDPM: its queries, their costs, and the plans that it does not suit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from synth.core.accounting import SAMPLED
from synth.core.accounting.sampled import order_for
from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.dictionaries import load_schema
from synth.mechanisms.aim import AIM
from synth.mechanisms.learned.tabddpm import BLOCKS, TabDDPM
from synth.mechanisms.shared.base import Fitted
from synth.mechanisms.shared.recipe import followers, objection
from synth.release.plan import Plan
from synth.rules import parse_rules
from tests.mechanisms.examples import fit, problem_about

DOMAIN = Domain(("a", "b"), (4, 3))
SMALL = {"steps": 25, "hidden": 4, "times": 3, "copies": 1}


def fitted(rho: float = 0.1, *, domain: Domain = DOMAIN, **options: Any) -> Fitted:
    table = np.random.default_rng(0).integers(0, domain.sizes, (3000, len(domain)))
    return fit(TabDDPM(**SMALL | options), table, domain, rho, problem_about(domain, 1))


def test_blocks_share_the_rest_of_the_price_and_one_noise() -> None:
    stated = fitted(columns_share=0.3).evidence
    assert sum(m.rho for m in stated.measurements) == pytest.approx(0.03)
    steps = [answer.requested["steps"] for answer in stated.trained]
    assert steps == [3] * 8 + [1] and len(steps) <= BLOCKS
    assert [answer.requested["first"] for answer in stated.trained] == [3 * i for i in range(9)]
    prices = [n * 0.07e12 / 25 for n in steps]
    assert [answer.units for answer in stated.trained] == pytest.approx(prices, rel=1e-6)
    sigmas = [answer.sigma for answer in stated.trained]
    assert sigmas == pytest.approx([sigmas[0]] * 9, rel=1e-6)


def test_prices_hold_up_to_the_order_of_what_is_spent_with_the_first_block() -> None:
    stated = fitted().evidence
    spent = sum(m.units for m in stated.measurements) + stated.trained[0].units
    assert all(SAMPLED.covers(answer.requested, spent) for answer in stated.trained)
    assert stated.trained[0].requested["most"] <= order_for(spent * 1e-12) + 3


def test_every_block_goes_on_from_the_one_before_and_only_the_last_keeps_its_weights() -> None:
    stated = fitted().evidence
    assert [answer.state.size > 0 for answer in stated.trained] == [False] * 8 + [True]
    assert len({answer.requested["state"] for answer in stated.trained}) == 9


def test_only_its_own_generator_follows_it_and_follows_nothing_else() -> None:
    assert followers(TabDDPM) == ("denoised",)
    assert "needs measured tables" in str(objection(TabDDPM, "pgm"))
    assert "does not train one" in str(objection(AIM, "denoised"))


@pytest.mark.parametrize(
    ("schema", "plan", "why"),
    [
        ({"rows_public": 100}, {}, "replacing one"),
        ({}, {"delta": 1e-12}, "Delta 1e-12 is too small for TabDDPM"),
        ({"columns": [{"name": "a", "kind": "category", "buy": True}]}, {}, "cannot estimate values"),
    ],
)
def test_what_has_no_price_is_refused(schema: dict[str, Any], plan: dict[str, Any], why: str) -> None:
    document = {
        "name": "t",
        "population": "p",
        "unit": {"max_rows": 1},
        "columns": [{"name": "a", "kind": "category", "values": ["x", "y"]}],
    }
    requested = {"epsilon": 1.0, "delta": 1e-6, "method": "tabddpm"}
    loaded = load_schema(document | schema)
    with pytest.raises(Mistake, match=why):
        Plan(schema=loaded, rules=parse_rules([], loaded), **requested | plan)
    fine = load_schema(document)
    assert Plan(schema=fine, rules=parse_rules([], fine), **requested).law == SAMPLED
