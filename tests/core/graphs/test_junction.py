"""Test the size of a model."""

from itertools import combinations
from math import prod

import networkx as nx
import numpy as np

from synth.core.domain import Clique, Domain
from synth.core.graphs.junction import JunctionGraph

NAMES = tuple("abcdefghijkl")


def random_domain(rng: np.random.Generator, columns: int) -> Domain:
    return Domain(NAMES[:columns], tuple(int(n) for n in rng.integers(1, 9, columns)))


def random_cliques(rng: np.random.Generator, domain: Domain, count: int) -> list[Clique]:
    sizes = rng.integers(1, min(4, len(domain) + 1), count)
    return [domain.clique(rng.choice(domain.names, k, replace=False).tolist()) for k in sizes]


def chordal(cliques: tuple[Clique, ...]) -> nx.Graph:
    graph = nx.Graph()
    for clique in cliques:
        graph.add_nodes_from(clique)
        graph.add_edges_from(combinations(clique, 2))
    return graph


def test_the_cliques_are_the_maximal_ones_of_a_chordal_graph_that_covers_all() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        domain = random_domain(rng, int(rng.integers(1, 10)))
        cliques = random_cliques(rng, domain, int(rng.integers(0, 12)))
        graph = JunctionGraph.of(domain, cliques)
        filled = chordal(graph.maximal)
        assert set(filled.nodes) == set(domain.names)
        assert nx.is_chordal(filled)
        assert sorted(map(sorted, nx.find_cliques(filled))) == sorted(map(sorted, graph.maximal))
        assert all(graph.contains(clique) for clique in cliques)
        assert graph.cells == sum(prod(domain.shape(clique)) for clique in graph.maximal)


def test_the_size_with_a_candidate_is_the_size_after_adding_it() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        domain = random_domain(rng, 9)
        cliques = random_cliques(rng, domain, 6)
        graph = JunctionGraph.of(domain, cliques)
        for candidate in random_cliques(rng, domain, 20):
            after = JunctionGraph.of(domain, [*cliques, candidate])
            assert graph.cells_with(candidate) == after.cells == graph.cells_with(candidate)
            assert graph.largest_with(candidate) == max(graph.largest, after.largest)
            if graph.contains(candidate):
                assert after.maximal == graph.maximal


def test_what_fits_would_not_exceed_the_cells_and_what_does_not_would() -> None:
    for seed in range(200):
        rng = np.random.default_rng(seed)
        domain = random_domain(rng, 10)
        graph = JunctionGraph.of(domain, random_cliques(rng, domain, int(rng.integers(0, 12))))
        for candidate in random_cliques(rng, domain, 10):
            cells, size = graph.cells_with(candidate), domain.size(candidate)
            for limit in (cells - 1, cells, graph.cells + size):
                fits = graph.contains(candidate) or cells <= limit
                assert graph.fits(candidate, limit) == fits


def test_a_graph_grown_clique_by_clique_stays_within_its_cells() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        domain = random_domain(rng, 8)
        graph, kept = JunctionGraph.of(domain, []), []
        for candidate in random_cliques(rng, domain, 25):
            if graph.fits(candidate, 400):
                graph = graph.joined(candidate)
                kept.append(candidate)
            else:
                assert JunctionGraph.of(domain, [*kept, candidate]).cells > 400
            assert set(graph.masks) == set(JunctionGraph.of(domain, kept).masks) and graph.cells <= 400


def test_what_a_full_graph_already_holds_still_fits() -> None:
    graph = JunctionGraph.of(Domain(("a", "b"), (5, 5)), [("a", "b")])
    assert graph.fits(("a",), 1) and graph.joined(("a",)).masks == graph.masks


def test_a_square_is_cut_along_its_cheaper_diagonal() -> None:
    domain = Domain(("a", "b", "c", "d"), (2, 50, 2, 50))
    graph = JunctionGraph.of(domain, [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    assert set(graph.maximal) == {("a", "b", "c"), ("a", "c", "d")}
    assert graph.cells == 400


def test_sizes_beyond_float_precision_stay_exact() -> None:
    names = tuple(f"x{i:02}" for i in range(30))
    domain = Domain(names, (97,) * 30)
    assert JunctionGraph.of(domain, [names]).cells == 97**30
