"""Test triangulation block by block, and its change if a pair is added."""

import numpy as np

from synth.core.domain import Clique, Domain
from synth.core.graphs.junction import JunctionGraph
from synth.core.graphs.triangulation import cells_of, circle_cells, eliminated


def random_domain(rng: np.random.Generator, columns: int) -> Domain:
    return Domain(tuple(f"c{i:02}" for i in range(columns)), tuple(rng.integers(1, 9, columns).tolist()))


def random_clique(rng: np.random.Generator, domain: Domain, most: int) -> Clique:
    size = min(int(rng.integers(1, most + 1)), len(domain))
    return domain.clique(rng.choice(domain.names, size, replace=False).tolist())


def test_a_graph_that_grows_costs_with_one_clique_more_what_a_fresh_one_does() -> None:
    """Test forests, cycles and components that are joined later, with cached results."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        domain = random_domain(rng, int(rng.integers(3, 14)))
        graph, measured = JunctionGraph.of(domain, []), list[Clique]()
        for _ in range(2 * len(domain)):
            measured.append(random_clique(rng, domain, 2 if rng.random() < 0.8 else 4))
            graph = graph.with_measured(measured[-1])
            assert set(graph.masks) == set(JunctionGraph.of(domain, measured).masks)
            for _ in range(10):
                requested = random_clique(rng, domain, 3)
                fresh = JunctionGraph.of(domain, [*measured, requested]).cells
                assert graph.cells_with(requested) == (graph.cells if graph.contains(requested) else fresh)


def test_a_clique_measured_again_leaves_the_graph_and_what_it_knows() -> None:
    domain = Domain(tuple("abcd"), (2, 3, 4, 5))
    graph = JunctionGraph.of(domain, [("a", "b"), ("b", "c"), ("c", "d")])
    assert graph.with_measured(("b", "c")) is graph
    assert graph.with_measured(("a", "c")) is not graph


def test_a_circle_is_taken_apart_as_any_graph_is() -> None:
    """Test ties, columns that are in no cycle, and all starting points."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        sizes = tuple(rng.integers(2, 5 if seed % 2 else 50, 20).tolist())
        around = rng.permutation(20)[: int(rng.integers(3, 20))].tolist()
        near = [0] * 20
        for one, other in zip(around, [*around[1:], around[0]], strict=True):
            near[one] |= 1 << other
            near[other] |= 1 << one
        among = sum(1 << i for i in around)
        cells = [cells_of([clique], sizes) for clique in eliminated(near, sizes, among)]
        assert circle_cells(near, among, sizes) == (sum(cells), max(cells))
