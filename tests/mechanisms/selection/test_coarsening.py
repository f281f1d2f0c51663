import numpy as np

from synth.core.domain import Domain
from synth.core.zeros import Zero
from synth.mechanisms.selection.coarsening import coarsen, kinds_of


def test_light_neighbours_merge_and_heavy_codes_stand_alone() -> None:
    counts = np.array([1.0, 2.0, 3.0, 50.0, 1.0, 60.0, 4.0, 4.0, 4.0, 0.5])
    grouping = coarsen("a", counts, least=6.0, ordered=10)
    assert grouping is not None
    assert grouping.group_of == (0, 0, 0, 1, 2, 2, 3, 3, 4, 4)
    assert grouping.weights == tuple(counts)


def test_what_follows_the_ordered_codes_stays_alone() -> None:
    grouping = coarsen("a", np.array([1.0, 1.0, 1.0, 1.0, 1.0]), least=2.5, ordered=3)
    assert grouping is not None and grouping.group_of == (0, 0, 0, 1, 2)


def test_without_order_only_the_rare_ones_are_heaped() -> None:
    counts = np.array([90.0, 1.0, 2.0, 80.0, 1.5])
    grouping = coarsen("a", counts, least=5.0)
    assert grouping is not None and grouping.group_of == (0, 1, 1, 2, 1)
    assert coarsen("a", np.array([90.0, 1.0, 80.0]), least=5.0) is None


def test_heaps_are_closed_when_they_are_large_enough() -> None:
    grouping = coarsen("a", np.full(10, 4.0), least=5.0)
    assert grouping is not None and grouping.group_of == (0,) * 5 + (1,) * 5


def test_codes_that_a_zero_tells_apart_never_merge() -> None:
    domain = Domain(("a", "b"), (4, 2))
    forbidden = np.array([[False, True], [False, True], [False, False], [False, False]])
    kinds = kinds_of(domain, "a", [Zero(("a", "b"), forbidden)])
    assert kinds == (0, 0, 1, 1)
    assert kinds_of(domain, "b", [Zero(("a", "b"), forbidden)]) == (0, 1)
    for ordered in (0, 4):
        grouping = coarsen("a", np.full(4, 1.0), least=100.0, ordered=ordered, kinds=kinds)
        assert grouping is not None and grouping.group_of == (0, 0, 1, 1)


def test_every_group_is_used_whatever_the_counts() -> None:
    rng = np.random.default_rng(0)
    for n in range(1, 30):
        for ordered in {0, n // 2, n}:
            counts = rng.exponential(size=n) * (rng.random(n) < 0.7)
            kinds = rng.integers(0, 2, n).tolist()
            grouping = coarsen("a", counts, least=float(rng.random() * 3), ordered=ordered, kinds=kinds)
            if grouping is not None:
                assert sorted(set(grouping.group_of)) == list(range(grouping.size))
                assert len({(g, k) for g, k in zip(grouping.group_of, kinds, strict=True)}) == grouping.size
