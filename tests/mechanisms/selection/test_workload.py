import numpy as np
import pytest

from synth.core.domain import Domain
from synth.mechanisms.selection.workload import Workload

DOMAIN = Domain(("a", "b", "c", "d"), (2, 3, 4, 500))


def test_candidate_weights_count_the_overlap_with_the_workload() -> None:
    weights = Workload((("a", "b"), ("b", "c")), (1.0, 0.5)).candidates()
    assert weights == {("a",): 1.0, ("b",): 1.5, ("c",): 0.5, ("a", "b"): 2.5, ("b", "c"): 2.0}


def test_all_pairs_weight_pairs_twice_as_much_as_columns() -> None:
    integers = Workload.all_kway(DOMAIN, 2).integer_candidates()
    assert integers[("a", "b")] == 1024 and integers[("a",)] == 512 and len(integers) == 4 + 6


def test_columns_that_matter_less_weigh_less_and_off_means_off() -> None:
    workload = Workload.all_kway(DOMAIN, 2, column_weights={"a": 0.5, "d": 0.0})
    weight = dict(zip(workload.cliques, workload.weights, strict=True))
    assert weight == {("a", "b"): 0.5, ("a", "c"): 0.5, ("b", "c"): 1.0}


def test_wide_cliques_can_be_left_out_and_a_target_kept() -> None:
    assert ("c", "d") not in Workload.all_kway(DOMAIN, 2, max_cells=100).cliques
    assert all("b" in c for c in Workload.target(DOMAIN, "b", 3).cliques)


def test_the_skewed_workload_favours_few_columns_and_stays_the_same() -> None:
    domain = Domain(tuple(f"x{i}" for i in range(15)), (2,) * 15)
    workload = Workload.skewed(domain)
    assert workload == Workload.skewed(domain) != Workload.skewed(domain, seed=1)
    assert all(r == domain.clique(r) and len(r) == 3 for r in workload.cliques)
    assert np.mean(workload.weights) == pytest.approx(1.0)
    times = np.array(workload.weights) * 256 / len(workload.cliques)
    assert np.allclose(times, times.round()) and times.sum() == pytest.approx(256)
    pairs = list(zip(workload.cliques, times, strict=True))
    seen = sorted(sum(n for r, n in pairs if name in r) for name in domain.names)
    assert seen[-1] > 100 > 20 > seen[3]  # a fifth of 256 is 51


def test_a_single_column_is_its_own_workload() -> None:
    assert Workload.all_kway(Domain(("a",), (2,)), 3).cliques == (("a",),)


def test_negative_weights_are_refused() -> None:
    with pytest.raises(ValueError):
        Workload((("a",),), (-1.0,))
