from itertools import combinations, permutations

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.mechanisms.selection.correlation import Correlations, strongest_paths

DOMAIN = Domain(("a", "b", "c"), (2, 3, 4))
PAIRS = [("a", "b"), ("b", "c"), ("a", "c")]


def correlations(*counts: float, total: float = 1000.0) -> Correlations:
    return Correlations.of(DOMAIN, PAIRS, np.array(counts), total=total)


def test_scores_are_clipped_to_what_the_sizes_and_the_total_allow() -> None:
    clipped = correlations(-50.0, 1e6, 1e6)
    assert clipped.counts.tolist() == pytest.approx([0.0, 1000 * 4 / 3, 1000.0])


def test_the_bound_is_what_complete_dependence_reaches() -> None:
    joint = np.zeros((3, 4))
    joint[[0, 1, 2], [0, 1, 2]] = 500
    reached = np.abs(joint - np.outer(joint.sum(axis=1), joint.sum(axis=0)) / 1500).sum()
    assert correlations(0, 0, 0, total=1500).most[1] == pytest.approx(reached)


def test_paths_are_the_best_of_all_paths() -> None:
    rng = np.random.default_rng(1)
    edges = np.triu(rng.random((5, 5)), 1)
    edges = edges + edges.T
    found = strongest_paths(edges)
    for i, j in combinations(range(5), 2):
        others = [k for k in range(5) if k not in (i, j)]
        best = max(
            np.prod([edges[s, t] for s, t in zip((i, *via), (*via, j), strict=True)])
            for k in range(4)
            for via in permutations(others, k)
        )
        assert found[i, j] == found[j, i] == pytest.approx(best)


def test_with_nothing_measured_everything_is_missing() -> None:
    scores = correlations(300.0, 400.0, 200.0)
    assert scores.missing(np.full(3, np.inf)).tolist() == [300.0, 400.0, 200.0]


def test_a_path_of_measured_pairs_discounts_what_lies_between_its_ends() -> None:
    scores = correlations(500.0, 1000.0, 200.0)
    missing = scores.missing(np.array([0.0, 0.0, np.inf]))
    assert missing.tolist() == pytest.approx([0.0, 0.0, 200 * (1 - 500 / 1000 * 1000 / (1000 * 4 / 3))])


def test_a_measured_pair_tells_others_only_what_exceeds_its_noise() -> None:
    scores = correlations(500.0, 1000.0, 200.0)
    drowned = scores.missing(np.array([600.0, 0.0, np.inf]))
    halved = scores.missing(np.array([250.0, 0.0, np.inf]))
    assert drowned[2] == 200.0
    assert halved[2] == pytest.approx(200 * (1 - 0.25 * 0.75))
