from itertools import combinations

import pytest

from synth.core.domain import Clique, Domain
from synth.core.graphs.junction import JunctionGraph
from synth.mechanisms.selection import growth
from synth.mechanisms.selection.growth import grow

DOMAIN = Domain(tuple("abcd"), (10, 10, 10, 2))
PAIRS: list[Clique] = list(combinations(DOMAIN.names, 2))


def trees(
    values: dict[Clique, float], cap: int, fixed: list[Clique] | None = None
) -> list[tuple[Clique, ...]]:
    start = JunctionGraph.of(DOMAIN, fixed or [])
    return list(grow(DOMAIN, values, cap=cap, start=start))


def test_no_tree_outgrows_the_cap_and_the_strongest_pair_is_in() -> None:
    values = {r: float(10 - i) for i, r in enumerate(PAIRS)}
    for tree in trees(values, 200):
        assert max(DOMAIN.size(c) for c in JunctionGraph.of(DOMAIN, tree).maximal) <= 200
    assert ("a", "b") in trees(values, 200)[0]
    assert any(len(tree) < len(PAIRS) for tree in trees(values, 200))
    assert trees(values, 10_000) == [tuple(PAIRS)]


def test_worthless_pairs_are_grown_for_only_if_supported_anyway() -> None:
    values = dict.fromkeys(PAIRS, 0.0) | {("a", "b"): 1.0, ("b", "d"): 1.0}
    assert trees(values, 10_000) == [(("a", "b"), ("b", "d"))]


def test_a_penalty_on_size_trades_one_large_pair_for_small_ones() -> None:
    values = {r: 1.0 for r in PAIRS} | {("a", "b"): 1.5}
    found = trees(values, 40)
    assert all(("a", "d") in tree and ("a", "b") not in tree for tree in found)


def test_cliques_that_must_be_there_may_exceed_the_cap() -> None:
    values = {r: 1.0 for r in PAIRS}
    (tree,) = set(trees(values, 10, fixed=[("a", "b", "c")]))
    assert {("a", "b"), ("a", "c"), ("b", "c")} <= set(tree)


def test_a_tree_that_refused_enough_takes_only_what_closes_no_circle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs are tried in the order of their value. After enough rejections, the pair be is not tried, because
    it closes a cycle, although it would fit. The pair ae closes no cycle and is added.
    """
    sizes = Domain(tuple("abcde"), (10, 4, 10, 30, 2))
    values = {("a", "b"): 9.0, ("b", "c"): 8.0, ("c", "d"): 7.5, ("a", "c"): 7.0, ("b", "d"): 6.5}
    values |= {("a", "e"): 6.0, ("b", "e"): 5.0}
    monkeypatch.setattr(growth, "PENALTIES", (0.0,))
    start = JunctionGraph.of(sizes, [("a", "b")])
    given = {("a", "b"), ("b", "c"), ("c", "d"), ("a", "e")}
    for most, columns, held in (
        (3, 63, {*given, ("b", "e")}),
        (2, 63, given),
        (4, 3, {*given, ("b", "e")}),
        (3, 3, given),
    ):
        monkeypatch.setattr(growth, "MOST_REFUSED", most)
        monkeypatch.setattr(growth, "MOST_COLUMNS", columns)
        (tree,) = grow(sizes, values, cap=300, start=start)
        assert set(tree) == held
