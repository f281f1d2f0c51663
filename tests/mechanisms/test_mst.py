from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.graphs.junction import JunctionGraph
from synth.core.graphs.workload import Workload
from synth.core.zeros import Zero
from synth.mechanisms import mst
from synth.mechanisms.mst import MST
from synth.mechanisms.shared.base import Fitted, Problem
from synth.private.counting.codes import Codes
from synth.private.scores import SCALE, ProductGap
from tests.mechanisms.examples import fit, problem_about

DOMAIN = Domain(tuple("abcde"), (4, 3, 4, 2, 3))


def rows() -> np.ndarray:
    """Return columns that depend on the previous column, more weakly from column to column, and slightly on
    the first.
    """
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 4, 5000)]
    for size, tie in ((3, 0.9), (4, 0.7), (2, 0.5), (3, 0.3)):
        columns.append(np.where(rng.random(5000) < tie, columns[-1] % size, rng.integers(0, size, 5000)))
    return np.stack(columns, axis=1)


def fitted(rho: float, problem: Problem | None = None, **options: float) -> Fitted:
    return fit(MST(**options), rows(), DOMAIN, rho, problem)


def test_without_noise_the_tree_is_the_heaviest_of_all() -> None:
    table, graph = Codes.of(rows(), DOMAIN), nx.Graph()
    for a, b in combinations(DOMAIN.names, 2):
        pair = table.counts(DOMAIN.axes((a, b)))
        gap = np.abs(pair - np.outer(pair.sum(axis=1), pair.sum(axis=0)) / pair.sum()).sum()
        graph.add_edge(a, b, weight=float(gap))
    heaviest = nx.maximum_spanning_tree(graph)
    chosen = [choice.clique for choice in fitted(1e6).evidence.choices]
    assert {frozenset(edge) for edge in heaviest.edges} == {frozenset(r) for r in chosen}


def test_of_many_columns_the_smallest_tree_is_joined_first(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = {choice.clique for choice in fitted(1e6).evidence.choices}
    monkeypatch.setattr(mst, "MOST_AT_ONCE", len(DOMAIN) - 1)
    result, trees = fitted(1e6), nx.Graph()
    assert {choice.clique for choice in result.evidence.choices} == at_once
    trees.add_nodes_from(DOMAIN.names)
    for choice in result.evidence.choices:
        smallest = min(map(len, nx.connected_components(trees)))
        small = [tree for tree in nx.connected_components(trees) if len(tree) == smallest]
        assert any(all(len(tree & {*r}) == 1 for r in choice.score.cliques) for tree in small)
        assert isinstance(choice.score, ProductGap)
        trees.add_edge(*choice.clique)
    assert len(result.evidence.choices[0].score.cliques) == len(DOMAIN) - 1


def test_pairs_of_the_smallest_tree_that_do_not_fit_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Structural zeros connect a, c and e. With a limit that allows no pair with b, column b stays
    separate.
    """
    monkeypatch.setattr(mst, "MOST_AT_ONCE", len(DOMAIN) - 1)
    cells = JunctionGraph.of(DOMAIN, []).cells
    result = fitted(1e6, capacity_mb=8 * (cells + 8.5) / 2**20)
    assert JunctionGraph.of(DOMAIN, [c.clique for c in result.evidence.choices]).cells <= cells + 8
    assert result.evidence.choices and result.model.cells <= cells + 8


def test_every_choice_joins_two_trees_and_costs_the_same() -> None:
    result = fitted(1.0)
    grown = nx.Graph()
    for choice in result.evidence.choices:
        assert not any(
            a in grown and b in grown and nx.has_path(grown, a, b) for a, b in choice.score.cliques
        )
        grown.add_edge(*choice.clique)
        assert choice.units == pytest.approx(1e12 / 3 / 4, rel=1e-6)
        assert choice.swing == 2 * 1024 * SCALE
    measured = [m.clique for m in result.evidence.measurements[len(DOMAIN) :]]
    assert measured == [choice.clique for choice in result.evidence.choices]


def test_a_pair_that_is_all_noise_is_not_asked_about_and_its_price_goes_to_columns() -> None:
    result = fitted(1e-7)
    assert not result.evidence.choices
    assert all(len(m.clique) == 1 for m in result.evidence.measurements)
    assert sum(m.units for m in result.evidence.measurements) == pytest.approx(10**5, abs=10)


def test_zeros_that_close_circles_stay_within_the_capacity() -> None:
    """Structural zeros connect a, c and e in a chain. Pairs that would enlarge their cliques must stay within
    the limit.
    """
    zeros = tuple(
        Zero(r, np.eye(*DOMAIN.shape(r), k=1, dtype=bool)) for r in (("a", "c"), ("c", "e"), ("b", "e"))
    )
    problem = problem_about(DOMAIN, zeros=zeros)
    cells = JunctionGraph.of(DOMAIN, [z.clique for z in zeros]).cells
    tight = fitted(100.0, problem, capacity_mb=8 * (cells + 10) / 2**20).model
    assert tight.cells <= cells + 10 < fitted(100.0, problem).model.cells


def test_a_column_without_weight_is_left_out_of_the_tree() -> None:
    without_b = Workload.all_kway(DOMAIN, 2, column_weights={"b": 0.0})
    result = fitted(10.0, problem_about(DOMAIN, workload=without_b))
    assert [m.clique for m in result.evidence.measurements if "b" in m.clique] == [("b",)]
    assert len(result.evidence.choices) == 3
