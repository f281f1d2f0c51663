"""How large a model would be."""

from __future__ import annotations

from itertools import combinations
from math import prod

import networkx as nx
import numpy as np

from synth.core.domain import Clique, Domain
from synth.core.graphs.columns import bits
from synth.core.graphs.junction import JunctionGraph
from synth.core.graphs.triangulation import triangulate

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


def test_a_clique_of_lonely_columns_and_one_clique_needs_no_try() -> None:
    domain = Domain(tuple("abcdefg"), (2, 2, 2, 2, 2, 2, 2))
    graph = JunctionGraph.of(domain, [("a", "b"), ("b", "c"), ("d", "e")])
    for hanging, cells in ((("f", "g"), 12 + 4), (("a", "b", "f"), 8 + 4 + 4 + 2), (("c", "g"), 12 + 4 + 2)):
        assert graph.fits(hanging, cells) and not graph.fits(hanging, cells - 1) and not graph._cells_with
        assert graph.cells_with(hanging) == cells
        graph._cells_with.clear()
    assert graph.fits(("a", "c"), 100) and graph._cells_with


def test_a_pair_that_joins_two_trees_of_pairs_needs_no_try() -> None:
    for seed in range(100):
        rng = np.random.default_rng(seed)
        domain = random_domain(rng, 10)
        graph = JunctionGraph.of(domain, [])
        for _ in range(8):
            pairs = [r for r in combinations(domain.names, 2) if not _is_path(graph, *r)]
            for r in pairs:
                cells = JunctionGraph.of(domain, [*chordal(graph.maximal).edges, r]).cells
                assert graph.fits(r, cells) and not graph.fits(r, cells - 1) and not graph._cells_with
            graph = graph.joined(pairs[int(rng.integers(len(pairs)))])


def _is_path(graph: JunctionGraph, first: str, second: str) -> bool:
    return nx.has_path(chordal(graph.maximal), first, second)


def test_a_pair_beside_a_circle_needs_no_try_and_one_across_it_does() -> None:
    """Blocks are triangulated by themselves: what the circle needs does not depend on what hangs on it."""
    domain = Domain(tuple("abcdef"), (2, 3, 2, 3, 4, 4))
    circle = [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d"), ("e", "f")]
    graph, hanging = JunctionGraph.of(domain, circle), ("a", "e")
    cells = JunctionGraph.of(domain, [*circle, hanging]).cells
    assert graph.fits(hanging, cells) and not graph.fits(hanging, cells - 1) and not graph._cells_with
    assert graph.fits(("b", "d"), 1e6) and graph._cells_with


def test_columns_that_fill_nothing_go_first() -> None:
    """Where the lightest clique went first, a clique of lonely columns on h made the others' cliques ten
    times as large."""
    domain = Domain(tuple("abcdefghi"), (6, 23, 26, 43, 47, 47, 2, 26, 19))
    pairs = [tuple(pair) for pair in ("ef", "eg", "hi", "dh", "cd", "df", "gh")]
    graph, hanging = JunctionGraph.of(domain, pairs), ("a", "b", "h")
    assert graph.cells_with(hanging) == graph.cells + domain.size(hanging) - 6 - 23


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


def test_the_order_and_repetition_of_cliques_do_not_matter() -> None:
    domain = Domain(("a", "b", "c", "d"), (2, 3, 4, 5))
    cliques = [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")]
    one = JunctionGraph.of(domain, cliques)
    other = JunctionGraph.of(domain, [*reversed(cliques), ("b", "a")])
    assert one.masks == other.masks


def test_a_square_is_cut_along_its_cheaper_diagonal() -> None:
    domain = Domain(("a", "b", "c", "d"), (2, 50, 2, 50))
    graph = JunctionGraph.of(domain, [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    assert set(graph.maximal) == {("a", "b", "c"), ("a", "c", "d")}
    assert graph.cells == 400


def test_wide_domains_weigh_all_their_columns() -> None:
    names = tuple(f"x{i:02}" for i in range(40))
    domain = Domain(names, (2,) * 39 + (1000,))
    chain = [(names[i], names[i + 1]) for i in range(39)]
    graph = JunctionGraph.of(domain, chain)
    assert graph.cells == 38 * 4 + 2000
    assert graph.cells_with((names[0], names[39])) <= 38 * 8 + 4000


def test_sizes_beyond_float_precision_stay_exact() -> None:
    names = tuple(f"x{i:02}" for i in range(30))
    domain = Domain(names, (97,) * 30)
    assert JunctionGraph.of(domain, [names]).cells == 97**30


def test_triangulate_and_bits_on_nothing() -> None:
    assert triangulate([], ()) == []
    assert list(bits(0)) == []
