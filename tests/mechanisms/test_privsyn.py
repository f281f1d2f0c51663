"""PrivSyn: how it divides its price, what it chooses, and what it leaves out."""

from __future__ import annotations

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.mechanisms.privsyn import PrivSyn
from synth.mechanisms.selection.workload import Workload
from synth.mechanisms.shared.base import Fitted
from synth.models.records.gum import GradualUpdates
from synth.private.scores import InDif
from tests.mechanisms.examples import exact, problem_about

DOMAIN = Domain(tuple("abcde"), (4, 4, 4, 3, 1))


def rows() -> np.ndarray:
    """A chain from a over b to c; d is alone and e has one value."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, 4000)
    b = np.where(rng.random(4000) < 0.9, a, rng.integers(0, 4, 4000))
    c = np.where(rng.random(4000) < 0.9, b, rng.integers(0, 4, 4000))
    return np.stack([a, b, c, rng.integers(0, 3, 4000), np.zeros_like(a)], axis=1)


def fitted(rho: float, workload: Workload | None = None, **options: float) -> Fitted:
    source = exact(rows(), DOMAIN, rho=rho)
    problem = problem_about(DOMAIN, workload=workload, generator=GradualUpdates(rounds=3))
    return PrivSyn(**options).run(source, problem, rng=np.random.default_rng(0))  # type: ignore[arg-type]


def tables(result: Fitted) -> list[Clique]:
    return [m.clique for m in result.evidence.measurements[5:]]


def test_the_price_is_divided_as_in_the_paper_and_scores_share_one_part() -> None:
    result = fitted(0.05)
    assert [m.clique for m in result.evidence.measurements[:5]] == [(c,) for c in "abcde"]
    assert sum(m.rho for m in result.evidence.measurements[:5]) == pytest.approx(0.1 * 0.05)
    (scores,) = result.evidence.scores
    assert isinstance(scores.score, InDif) and len(scores.score.cliques) == 6
    assert scores.units * 1e-12 == pytest.approx(0.1 * 0.05)
    assert scores.sigma == pytest.approx(4 * (6 / (2 * 0.1 * 0.05)) ** 0.5)
    assert sum(m.rho for m in result.evidence.measurements[5:]) == pytest.approx(0.8 * 0.05)


def test_pairs_are_measured_while_they_are_worth_their_noise() -> None:
    """Scores are in counts once: multiplied by the records again, every related pair would be taken."""
    chain, least = tables(fitted(5e-6)), tables(fitted(1e-7))
    assert set(chain) >= {("d",), ("e",)} and 0 < sum(len(r) == 2 for r in chain) < 3
    assert least == [(c,) for c in "abcde"]


def test_columns_alone_get_their_share_by_size() -> None:
    prices = {m.clique: m.rho for m in fitted(5e-6).evidence.measurements[5:]}
    pair = next(r for r in prices if len(r) == 2)
    assert prices[pair] == pytest.approx(prices["d",] * (16 / 3) ** (2 / 3), rel=1e-5)  # in whole units


def test_pairs_that_form_a_clique_are_one_table_unless_it_is_too_large() -> None:
    assert any(len(r) > 2 for r in tables(fitted(0.05)))
    assert all(DOMAIN.size(r) <= 48 for r in tables(fitted(0.05, table_cells=48)) if len(r) > 2)
    assert {r for r in tables(fitted(0.05, table_cells=0)) if len(r) > 1} >= {
        ("a", "b"),
        ("b", "c"),
        ("a", "c"),
    }
    assert all(len(r) < 3 for r in tables(fitted(0.05, table_cells=0)))
