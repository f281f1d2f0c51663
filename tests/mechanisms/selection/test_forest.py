from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from synth.mechanisms.selection.forest import Forest


def test_two_grown_trees_become_one() -> None:
    forest = Forest(5)
    for edge in ((0, 1), (2, 3), (1, 3)):
        forest.join(*edge)
    assert forest.apart(np.array([[0, 2], [0, 4], [4, 3], [2, 1]])).tolist() == [False, True, True, False]


def test_an_edge_that_closes_a_cycle_is_refused() -> None:
    forest = Forest(3)
    forest.join(0, 1)
    forest.join(1, 2)
    with pytest.raises(ValueError, match="cycle"):
        forest.join(2, 0)


@pytest.mark.parametrize("seed", range(20))
def test_a_cut_has_the_pairs_of_one_of_the_smallest_trees_that_any_pair_joins(seed: int) -> None:
    rng = np.random.default_rng(seed)
    forest, graph = Forest(9), nx.Graph()
    graph.add_nodes_from(range(9))
    pairs = np.array(list(combinations(range(9), 2)))
    pairs = pairs[rng.random(len(pairs)) < 0.4]
    while len(pairs := pairs[forest.apart(pairs)]):
        trees = [*nx.connected_components(graph)]
        assert all(len(tree & {*pair}) < 2 for tree in trees for pair in pairs.tolist())
        found = pairs[forest.cut(pairs)]
        reached = [tree for tree in trees if any(tree & {*pair} for pair in pairs.tolist())]
        smallest = min(reached, key=lambda tree: (len(tree), min(tree)))
        assert found.tolist() == [pair for pair in pairs.tolist() if smallest & {*pair}]
        edge = found[rng.integers(len(found))]
        forest.join(*edge)
        graph.add_edge(*edge.tolist())
