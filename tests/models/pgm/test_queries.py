"""Marginals of cliques that the tree does not contain."""

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.models.pgm import queries
from synth.models.pgm.propagation import Propagation
from synth.models.pgm.queries import Queries
from synth.models.pgm.schedule import Schedule
from tests.models.pgm import brute_force


def calibrated(
    domain: Domain, cliques: list[Clique], seed: int, impossible: float
) -> tuple[Schedule, Propagation, np.ndarray]:
    rng = np.random.default_rng(seed)
    masks = [sum(1 << i for i in domain.axes(clique)) for clique in cliques]
    plan = Schedule.of(domain, masks, len(masks))
    tables = [rng.normal(0, 2, plan.tree.shape(mask)) for mask in masks]
    for table in tables:
        table[rng.random(table.shape) < impossible] = -np.inf
    propagation = Propagation(plan)
    propagation.sweep(np.concatenate([t.reshape(-1) for t in tables]) if tables else np.empty(0))
    names = [tuple(domain.names[i] for i in plan.tree.layout(mask)) for mask in masks]
    return plan, propagation, brute_force.log_joint(domain, zip(names, tables, strict=True))


def check_all(domain: Domain, cliques: list[Clique], seed: int, impossible: float = 0.0) -> None:
    plan, propagation, log_joint = calibrated(domain, cliques, seed, impossible)
    if log_joint.max() == -np.inf:
        return
    joint = np.exp(log_joint - log_joint.max())
    joint /= joint.sum()
    batch = Queries(plan.tree, propagation.beliefs)
    for k in range(len(domain) + 1):
        for axes in combinations(range(len(domain)), k):
            mask = sum(1 << i for i in axes)
            layout = tuple(domain.names[i] for i in plan.tree.layout(mask))
            expected = brute_force.project(domain, joint, layout)
            for found in (batch.marginal(mask), Queries(plan.tree, propagation.beliefs).marginal(mask)):
                assert np.allclose(found, expected, rtol=1e-10, atol=1e-15)
                assert not found[expected == 0].any()


def test_every_subset_of_every_kind_of_model(domain: Domain, cliques: list[Clique]) -> None:
    check_all(domain, cliques, 0)


@pytest.mark.parametrize("seed", range(40))
def test_every_subset_of_random_models(seed: int) -> None:
    rng = np.random.default_rng(seed)
    domain = Domain(tuple("abcdefg"), tuple(int(n) for n in rng.integers(1, 4, 7)))
    count = int(rng.integers(2, 9))
    sizes = rng.integers(1, 4, count)
    cliques = [domain.clique(rng.choice(domain.names, k, replace=False).tolist()) for k in sizes]
    check_all(domain, cliques, seed, impossible=0.12 * (seed % 2))


def kept(batch: Queries) -> list[int]:
    """Return the number of cells of every cached conditional."""
    return [table.size for known in batch._conditionals.values() for table in known.values()]


def test_a_batch_without_memory_answers_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = Domain(("a", "b", "c", "d", "e"), (3, 2, 4, 2, 3))
    plan, propagation, _ = calibrated(domain, [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")], 0, 0.0)
    roomy = Queries(plan.tree, propagation.beliefs)
    monkeypatch.setattr(queries, "_REMEMBER", 5)
    narrow = Queries(plan.tree, propagation.beliefs)
    for mask in range(1, 2**5):
        assert np.allclose(narrow.marginal(mask), roomy.marginal(mask), rtol=1e-12)
    assert sum(kept(narrow)) <= 5
    assert len(kept(roomy)) > len(kept(narrow))


def test_column_by_column_the_conditionals_of_one_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """With memory for the conditionals of one column, no more conditionals are computed than with memory for
    all. In another order, more are computed.
    """
    names = tuple("abcdefgh")
    domain = Domain(names, (3,) * 8)
    plan, propagation, _ = calibrated(domain, list(pairwise(names)), 0, 0.0)
    pairs = [1 << i | 1 << j for i in range(8) for j in range(i)]
    made = []
    contract = queries._contract

    def counted(*args: Any) -> Any:
        made[-1] += 1
        return contract(*args)

    monkeypatch.setattr(queries, "_contract", counted)
    for room, in_turn in ((2**24, True), (170, True), (170, False)):
        monkeypatch.setattr(queries, "_REMEMBER", room)
        batch = Queries(plan.tree, propagation.beliefs)
        made.append(0)
        for i in batch.in_turn(pairs) if in_turn else np.random.default_rng(0).permutation(len(pairs)):
            batch.marginal(pairs[i])
    assert made[0] == made[1] < made[2]


def test_a_tree_may_be_deeper_than_calls_may_be_nested() -> None:
    """In a chain of 700 columns, each column equals its neighbour with probability 0.9. Distant columns are
    independent, and close columns depend on each other by powers of 0.8.
    """
    domain = Domain(tuple(f"c{i}" for i in range(700)), (2,) * 700)
    cliques = [pair for pair in pairwise(domain.names)]
    masks = [sum(1 << i for i in domain.axes(clique)) for clique in cliques]
    plan = Schedule.of(domain, masks, len(masks))
    propagation = Propagation(plan)
    propagation.sweep(np.tile(np.log([0.9, 0.1, 0.1, 0.9]), len(cliques)))
    batch = Queries(plan.tree, propagation.beliefs)
    for far in ({0, 699}, {0, 350, 699}, {3, 5, 690}):
        found = batch.marginal(sum(1 << i for i in far))
        kept = np.array([0.8 ** (b - a) for a, b in pairwise(sorted(far))])
        expected = np.full((2,) * len(far), 0.5)
        for axis, part in enumerate(kept):
            same = np.array([[1 + part, 1 - part], [1 - part, 1 + part]]) / 2
            expected = expected * same.reshape([2 if i in (axis, axis + 1) else 1 for i in range(len(far))])
        assert np.allclose(found, expected, atol=1e-12)
