from itertools import combinations

import pytest

from synth.domain import Clique, Domain
from synth.junction import JunctionGraph
from synth.select import growth
from synth.select.growth import grow

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


def test_a_tree_that_refused_enough_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the pairs in the order of their value the first fits, the next two do not, and the last would."""
    values = {("a", "b"): 9.0, ("a", "c"): 8.0, ("b", "c"): 7.0, ("c", "d"): 6.0}
    monkeypatch.setattr(growth, "PENALTIES", (0.0,))
    small = Domain(DOMAIN.names, (10, 10, 30, 2))
    start = JunctionGraph.of(small, [("a", "b")])
    for most, held in ((3, {("a", "b"), ("c", "d")}), (2, {("a", "b")})):
        monkeypatch.setattr(growth, "MOST_REFUSED", most)
        (tree,) = grow(small, values, cap=100, start=start)
        assert set(tree) == held
