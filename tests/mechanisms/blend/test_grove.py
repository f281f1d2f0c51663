"""Tests specific to Grove. The contract tests check everything else."""

from typing import Any

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.core.table import CodeTable
from synth.core.zeros import Zero
from synth.mechanisms.blend import Grove, constants, grove
from synth.mechanisms.blend.pair_plans import allocation_of
from synth.mechanisms.shared import columns_first
from synth.mechanisms.shared.base import Fitted
from synth.models.blend.refined import Refined
from tests.mechanisms.examples import exact, problem_about

DOMAIN = Domain(tuple("abcde"), (60, 6, 5, 4, 2))


def truth(rows: int = 5000) -> np.ndarray:
    rng = np.random.default_rng(0)
    a = np.clip(rng.normal(25, 9, rows), 0, 59).astype(np.int64)
    b = np.where(rng.random(rows) < 0.7, a // 10, rng.integers(0, 6, rows))
    c = np.where(rng.random(rows) < 0.8, b % 5, rng.integers(0, 5, rows))
    return np.stack([a, b, c, rng.integers(0, 4, rows), rng.integers(0, 2, rows)], axis=1)


def run(rho: float, *, k: int = 2, zeros: tuple[Zero, ...] = (), **options: int) -> Fitted:
    problem = problem_about(DOMAIN, k, ordered={"a": 60}, zeros=zeros)
    source = exact(truth(), DOMAIN, rho=rho)
    return Grove(**options).run(source, problem, rng=np.random.default_rng(0))


def test_strong_pairs_are_measured_and_unrelated_ones_are_not() -> None:
    fitted = run(0.05)
    (scores,) = fitted.evidence.scores
    assert len(scores.score.cliques) == 10 and scores.units == pytest.approx(
        constants.MOST_SCORING * 0.05e12, rel=1e-6
    )
    estimated = {m.clique: m.units for m in fitted.evidence.measurements if len(m.clique) == 2}
    assert {("a", "b"), ("b", "c")} <= set(estimated) and ("d", "e") not in estimated
    assert len([m for m in fitted.evidence.measurements if len(m.clique) == 1]) == 6


def test_sampling_error_of_few_records_is_not_taken_for_a_relation(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = Domain(tuple("abc"), (8, 8, 8))
    rng, off = np.random.default_rng(6), {}
    a, b = rng.integers(0, 8, 500), rng.integers(0, 8, 500)
    c = np.where(rng.random(500) < 0.6, b, rng.integers(0, 8, 500))
    monkeypatch.setattr(constants, "SCORED_GROUP", 0.0)
    allocate = allocation_of

    def seen(source: Any, problem: Any, first: Any, errors: dict[Clique, float]) -> Any:
        off.update(errors)
        return allocate(source, problem, first, errors)

    monkeypatch.setattr(grove, "allocation_of", seen)
    source = exact(np.stack([a, b, c], axis=1), domain, rho=1e6)
    Grove().run(source, problem_about(domain), rng=np.random.default_rng(0))
    by_chance = np.sqrt(2 / np.pi * 500 / 64) * 64
    assert off["a", "b"] < 0.5 * by_chance and off["b", "c"] > 500


def test_an_ordered_column_is_measured_in_runs_that_widen_with_the_noise() -> None:
    groups = []
    for rho in (0.003, 0.05, 50.0):
        found = [m.groups["a"] for m in run(rho).evidence.measurements if "a" in m.groups]
        groups.append(max(found[0]) + 1 if found else 60)
        assert all(g == tuple(sorted(g)) for g in found)
    assert groups == sorted(groups) and 2 < groups[0] < groups[-1]


def test_a_smooth_relation_is_measured_in_longer_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=20_000)
    y = 0.4 * x + rng.normal(size=20_000)
    codes = np.stack([np.clip(np.rint(15 * v + 50), 0, 99).astype(np.int64) for v in (x, y)], axis=1)
    domain = Domain(("x", "y"), (100, 100))
    problem = problem_about(domain, ordered={"x": 100, "y": 100})

    def groups() -> int:
        source = exact(codes, domain, rho=0.005)
        fitted = Grove().run(source, problem, rng=np.random.default_rng(0))
        return max(max(m.groups[n]) for m in fitted.evidence.measurements for n in m.groups) + 1

    chosen = groups()
    monkeypatch.setattr(columns_first, "DOUBLINGS", 0)
    assert 2 < chosen < groups()


def test_the_model_is_over_the_domain_itself_and_near_the_truth() -> None:
    fitted = run(0.5)
    assert isinstance(fitted.model, Refined) and fitted.model.domain == DOMAIN
    real = CodeTable(DOMAIN, truth())
    drawn = CodeTable(DOMAIN, fitted.model.sample(5000, np.random.default_rng(0)))
    for r in (("a", "b"), ("b", "c"), ("a", "c")):
        assert 0.5 * np.abs(real.counts(r) - drawn.counts(r)).sum() / 5000 < 0.08


def test_a_small_clique_puts_pairs_beside_the_tree() -> None:
    fitted = run(5.0, clique_cells=100)
    assert isinstance(fitted.model, Refined)
    tree = fitted.model.tree
    assert max(tree.domain.size(c) for c in tree.cliques) <= 100 and fitted.model.beside


def test_zeros_survive_coarsening_tables_beside_the_tree_and_swaps() -> None:
    forbidden = np.zeros((60, 6), dtype=bool)
    forbidden[:15, 4:] = True
    fitted = run(0.02, zeros=(Zero(("a", "b"), forbidden),), clique_cells=1000)
    assert any("a" in m.groups for m in fitted.evidence.measurements)
    codes = fitted.model.sample(4000, np.random.default_rng(0))
    assert not forbidden[codes[:, 0], codes[:, 1]].any()
    assert fitted.model.project(("a", "b"))[forbidden].sum() == 0
