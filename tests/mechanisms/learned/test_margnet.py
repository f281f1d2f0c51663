from itertools import pairwise

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.mechanisms.learned.margnet import MargNet
from synth.mechanisms.shared.base import Fitted
from synth.mechanisms.shared.recipe import Recipe
from synth.models.mixture.mixture import MixtureModel, MixtureOfProducts
from synth.models.networks.network import NetworkGenerator, NetworkModel
from tests.mechanisms.examples import exact, fit, problem_about

DOMAIN = Domain(tuple("abcd"), (4, 3, 4, 2))
SMALL = NetworkGenerator(width=12, batch=32, steps=60, round_steps=5)


def rows() -> np.ndarray:
    rng = np.random.default_rng(0)
    table = rng.integers(0, DOMAIN.sizes, size=(4000, 4))
    table[:, 2] = np.where(rng.random(4000) < 0.9, table[:, 0], table[:, 2])
    return table


def fitted(rho: float, *, domain: Domain = DOMAIN, **options: float) -> Fitted:
    problem = problem_about(domain, generator=SMALL, device="cpu")
    return fit(MargNet(**options), rows()[:, : len(domain)], domain, rho, problem)


def test_columns_cost_a_round_each_and_a_price_doubles_only_when_a_pair_is_new() -> None:
    evidence = fitted(0.003).evidence
    first = 1e12 * 0.003 / (16 * 4)
    columns, pairs = evidence.measurements[:4], evidence.measurements[4:]
    assert [m.units for m in columns] == pytest.approx([0.9 * first] * 4, rel=1e-6)
    assert [c.clique for c in evidence.choices] == [m.clique for m in pairs]
    prices, seen = [m.units for m in pairs], set()
    assert prices[0] == pytest.approx(0.9 * first, rel=1e-6)
    for pair, price, later in zip(pairs, prices, prices[1:-1], strict=False):
        grown = later / price
        assert grown == pytest.approx(1, rel=1e-6) or grown == pytest.approx(2, rel=1e-6)
        assert pair.clique not in seen or grown == pytest.approx(1, rel=1e-6)
        seen.add(pair.clique)
    assert any(later > 1.9 * price for price, later in pairwise(prices))


def test_without_doubling_rounds_are_planned_and_of_one_price() -> None:
    """This is the ablation of the paper: 0.1 of the budget for columns, and five rounds per column."""
    evidence = fitted(0.03, rounds=22, columns_share=0.1, alpha=0.5, doubling=False).evidence
    columns, pairs = evidence.measurements[:4], evidence.measurements[4:]
    assert sum(m.units for m in columns) == pytest.approx(0.1 * 0.03e12, rel=1e-6)
    assert len(pairs) == len(evidence.choices) == 20
    prices = [m.units for m in pairs[:-1]]
    assert prices == pytest.approx([0.5 * 0.03e12 / 22] * 19, rel=1e-6)


def test_what_rounding_leaves_of_whole_rounds_is_no_round_of_its_own() -> None:
    """Half the budget suffices for four rounds except for a few units, which cannot pay for a selection."""
    rho = 0.0123456789
    evidence = fitted(rho, rounds=8, columns_share=0.5).evidence
    assert min(choice.units for choice in evidence.choices) > 0.09 * 1e12 * rho / 8
    assert sum(answer.units for answer in evidence.answers) == round(1e12 * rho)


def test_the_last_round_spends_what_is_left() -> None:
    evidence = fitted(0.3, rounds=7).evidence
    assert sum(a.units for a in evidence.answers) == 300_000_000_000
    assert evidence.choices[-1].units / evidence.measurements[-1].units == pytest.approx(1 / 9, rel=1e-6)


def test_the_mixture_stands_in_for_the_network_from_the_first_round_on() -> None:
    heard: list[str] = []
    source = exact(rows(), DOMAIN, rho=0.1)
    problem = problem_about(DOMAIN, report=lambda p: heard.append(p.fact))
    recipe = Recipe(mechanism=MargNet(), generator="mixture")
    model = recipe.run(source, problem, rng=np.random.default_rng(0)).model
    assert type(model) is MixtureModel and not isinstance(model, NetworkModel)
    assert recipe.is_inside and recipe.follower == MixtureOfProducts()
    assert not any("network" in fact or "fitting by" in fact for fact in heard)
    assert not Recipe(mechanism=MargNet(), generator="refined").is_inside
