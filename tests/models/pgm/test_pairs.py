"""Tables of distant pairs, compared with the tree's own results for each pair."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.models.pgm import queries
from synth.models.pgm.pairs import Walk, far_pairs
from synth.models.pgm.propagation import Propagation
from synth.models.pgm.queries import Queries
from synth.models.pgm.schedule import Schedule
from synth.models.pgm.tree import JunctionTree


def calibrated(domain: Domain, cliques: list[Clique], seed: int, impossible: float = 0.0) -> Propagation:
    rng = np.random.default_rng(seed)
    masks = [sum(1 << i for i in domain.axes(clique)) for clique in cliques]
    propagation = Propagation(Schedule.of(domain, masks, len(masks)))
    tables = [rng.normal(0, 2, propagation.plan.tree.shape(mask)) for mask in masks]
    for table in tables:
        table[rng.random(table.shape) < impossible] = -np.inf
    propagation.sweep(np.concatenate([t.reshape(-1) for t in tables]) if tables else np.empty(0))
    return propagation


def far(tree: JunctionTree) -> list[int]:
    """Return the pairs that are in no common clique."""
    pairs = (1 << i | 1 << j for i, j in combinations(range(len(tree.domain)), 2))
    return [pair for pair in pairs if not any(pair & mask == pair for mask in tree.masks)]


def check(propagation: Propagation, *, most: int) -> None:
    tree = propagation.plan.tree
    requested, one_by_one = far(tree), Queries(tree, propagation.beliefs)
    inside = Queries(tree, propagation.beliefs)._sum
    found = {
        1 << i | 1 << j: (i, t.copy()) for i, j, t in far_pairs(Walk(tree), inside, requested, most=most)
    }
    assert sorted(found) == sorted(requested)
    for pair, (first, table) in found.items():
        expected = one_by_one.marginal(pair)
        turned = table if tree.layout(pair)[0] == first else table.T
        np.testing.assert_allclose(turned, expected, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("most", [1, 40, 2**20])
@pytest.mark.parametrize("seed", range(25))
def test_every_far_pair_of_random_models(seed: int, most: int) -> None:
    """The models include trees, forests, cliques that share several columns, impossible cells, and small
    limits on a product.
    """
    rng = np.random.default_rng(seed)
    columns = int(rng.integers(2, 13))
    domain = Domain(tuple(f"c{i:02}" for i in range(columns)), tuple(rng.integers(1, 5, columns).tolist()))
    cliques = [
        domain.clique(rng.choice(domain.names, min(columns, int(size)), replace=False).tolist())
        for size in rng.integers(1, 5, int(rng.integers(0, columns + 1)))
    ]
    propagation = calibrated(domain, cliques, seed, impossible=0.1 * (seed % 2))
    if propagation.log_partition > -np.inf:
        check(propagation, most=most)


def test_a_star_whose_branches_share_their_separator() -> None:
    names = tuple("abcdefghi")
    domain = Domain(names, (4, 3, 2, 5, 3, 2, 4, 3, 2))
    propagation = calibrated(domain, [("a", name) for name in names[1:]], 0)
    assert len(Walk(propagation.plan.tree).branches[propagation.plan.tree.order[0]][0].children) > 1
    check(propagation, most=2**20)


def test_pairs_asked_together_are_those_asked_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The results do not depend on the order of a pair, on repeated or other requests, or on too little
    memory.
    """
    names = tuple("abcdefgh")
    domain = Domain(names, (3, 2, 4, 2, 3, 5, 2, 3))
    propagation = calibrated(domain, list(pairwise(names)), 1)
    tree = propagation.plan.tree
    masks = [1 << i | 1 << j for i, j in combinations(range(8), 2)] * 2 + [0b10010001, 0b1, 0b0]
    made: list[int] = []
    monkeypatch.setattr(queries, "far_pairs", lambda *all_: made.append(1) or far_pairs(*all_))
    for room in (queries._REMEMBER, 0):
        monkeypatch.setattr(queries, "_REMEMBER", room)
        batch, one_by_one = (Queries(tree, propagation.beliefs) for _ in range(2))
        found = {n: table.copy() for n, table in batch.marginals(masks)}
        assert sorted(found) == list(range(len(masks)))
        for n, mask in enumerate(masks):
            np.testing.assert_allclose(found[n], one_by_one.marginal(mask), rtol=1e-9)
    assert len(made) == 1
