"""The rooted junction tree."""

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.core.graphs.junction import JunctionGraph
from synth.models.pgm.tree import JunctionTree


@pytest.mark.parametrize("seed", range(40))
def test_every_column_hangs_together(seed: int) -> None:
    rng = np.random.default_rng(seed)
    domain = Domain(tuple("abcdefgh"), tuple(int(n) for n in rng.integers(1, 6, 8)))
    pairs = [domain.clique(rng.choice(domain.names, 2, replace=False).tolist()) for _ in range(9)]
    tree = JunctionTree.of(domain, JunctionGraph.of(domain, pairs).masks)
    for i in range(8):
        # the cliques that hold a column form a subtree: exactly one of them has no parent that holds it
        tops = [c for c, mask in enumerate(tree.masks) if mask >> i & 1 and not tree.separator(c) >> i & 1]
        assert len(tops) == 1


def test_parents_come_first_and_the_root_is_largest(domain: Domain, cliques: list[Clique]) -> None:
    tree = JunctionTree.of(domain, JunctionGraph.of(domain, cliques).masks)
    assert sorted(tree.order) == list(range(len(tree.masks)))
    for place, c in enumerate(tree.order):
        assert place == 0 or tree.parents[c] in tree.order[:place]
        assert all(tree.parents[child] == c for child in tree.children[c])
    cells = [np.prod(tree.shape(mask)) for mask in tree.masks]
    assert cells[tree.order[0]] == max(cells) and tree.parents[tree.order[0]] == -1
