import pytest

from synth.core.domain import Domain
from synth.core.graphs.workload import Workload

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


def test_negative_weights_are_refused() -> None:
    with pytest.raises(ValueError):
        Workload((("a",),), (-1.0,))
