"""Triangulation of a part of a graph, and what one clique more would make of it."""

from __future__ import annotations

import numpy as np
import pytest

from synth.domain import Clique, Domain
from synth.junction import JunctionGraph
from synth.triangulation import Rooted, bits, cells_of, circle_cells, triangulate


def random_domain(rng: np.random.Generator, columns: int) -> Domain:
    return Domain(tuple(f"c{i:02}" for i in range(columns)), tuple(rng.integers(1, 9, columns).tolist()))


def random_clique(rng: np.random.Generator, domain: Domain, most: int) -> Clique:
    size = min(int(rng.integers(1, most + 1)), len(domain))
    return domain.clique(rng.choice(domain.names, size, replace=False).tolist())


def mask_of(domain: Domain, clique: Clique) -> int:
    return sum(1 << i for i in domain.axes(clique))


@pytest.mark.parametrize("seed", range(60))
def test_a_graph_that_grows_costs_with_one_clique_more_what_a_fresh_one_does(seed: int) -> None:
    """Forests, circles, parts that meet; what parts know of each other is used over and over."""
    rng = np.random.default_rng(seed)
    domain = random_domain(rng, int(rng.integers(3, 14)))
    graph, measured = JunctionGraph.of(domain, []), list[Clique]()
    for _ in range(2 * len(domain)):
        measured.append(random_clique(rng, domain, 2 if rng.random() < 0.8 else 4))
        graph = graph.with_measured(measured[-1])
        assert set(graph.masks) == set(JunctionGraph.of(domain, measured).masks)
        for _ in range(10):
            asked = random_clique(rng, domain, 3)
            fresh = JunctionGraph.of(domain, [*measured, asked]).cells
            assert graph.cells_with(asked) == (graph.cells if graph.contains(asked) else fresh)


def test_a_clique_measured_again_leaves_the_graph_and_what_it_knows() -> None:
    domain = Domain(tuple("abcd"), (2, 3, 4, 5))
    graph = JunctionGraph.of(domain, [("a", "b"), ("b", "c"), ("c", "d")])
    assert graph.with_measured(("b", "c")) is graph
    assert graph.with_measured(("a", "c")) is not graph


def test_small_graphs_between_columns_are_known_when_others_have_grown() -> None:
    """Two chains: a pair added to one leaves the other part as it is, and where they meet nothing is lost."""
    domain = Domain(tuple("abcdefgh"), (2, 3, 4, 5, 2, 3, 4, 5))
    graph = JunctionGraph.of(domain, [("a", "b"), ("b", "c"), ("c", "d"), ("e", "f"), ("f", "g"), ("g", "h")])
    first, second = graph._parts
    graph.cells_with(("a", "d")), graph.cells_with(("e", "h"))
    grown = graph.with_measured(("e", "g"))
    assert grown._parts[0] is first and grown._parts[1] is not second
    (both,) = grown.with_measured(("d", "e"))._parts
    assert set(first.found) <= set(both.known)


@pytest.mark.parametrize("seed", range(30))
def test_what_is_left_of_a_part_does_not_depend_on_who_asks(seed: int) -> None:
    """A root and its core; the cliques of columns that went are cliques of the graph, and maximal."""
    rng = np.random.default_rng(seed)
    domain = random_domain(rng, 10)
    graph = JunctionGraph.of(domain, [random_clique(rng, domain, 2) for _ in range(9)])
    for part in graph._parts:
        root = int(rng.choice(list(bits(part.mask))))
        shrunk = Rooted.of(graph.adjacency, part.mask, root, domain.sizes)
        assert shrunk.core >> root & 1 and shrunk.core | sum(1 << v for v in shrunk.above) == part.mask
        inner = triangulate([mask & shrunk.core for mask in graph.adjacency], domain.sizes, shrunk.core)
        gone = {clique for cliques in shrunk.holding.values() for clique, _ in cliques}
        kept = [mask for mask in inner if not any(mask & clique == mask for clique in gone)]
        assert {*gone, *kept} == {mask for mask in graph.masks if mask & part.mask}
        assert shrunk.whole == cells_of(gone, domain.sizes)


def test_a_part_is_triangulated_as_if_it_were_alone() -> None:
    circle = [0b1010, 0b0101, 0b1010, 0b0101, 0b100000, 0b010000]
    sizes = (2, 9, 2, 9, 3, 3)
    assert sorted(triangulate(circle, sizes, 0b001111)) == [0b000111, 0b001101]
    assert sorted(triangulate(circle, sizes)) == [0b000111, 0b001101, 0b110000]


@pytest.mark.parametrize("seed", range(40))
def test_a_circle_is_taken_apart_as_any_graph_is(seed: int) -> None:
    """With ties, with columns that are in no circle, and wherever it starts."""
    rng = np.random.default_rng(seed)
    sizes = tuple(rng.integers(2, 5 if seed % 2 else 50, 20).tolist())
    around = rng.permutation(20)[: int(rng.integers(3, 20))].tolist()
    near = [0] * 20
    for one, other in zip(around, [*around[1:], around[0]], strict=True):
        near[one] |= 1 << other
        near[other] |= 1 << one
    among = sum(1 << i for i in around)
    assert circle_cells(near, among, sizes) == cells_of(triangulate(near, sizes, among), sizes)
