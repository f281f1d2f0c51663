import numpy as np
import pytest

from synth.axis import Grouping
from synth.counting.codes import Codes
from synth.domain import Domain
from synth.measure.exact import Exact
from synth.measure.score import L1Gap

DOMAIN = Domain(("a", "b"), (2, 2))
ROWS = np.array([[0, 0], [0, 1], [1, 1]])


def test_it_answers_with_the_truth_and_keeps_the_account() -> None:
    source = Exact(Codes.of(ROWS, DOMAIN), DOMAIN, rho=1.0)
    m = source.measure(("a", "b"), rho=0.25)
    assert m.counts.tolist() == [[1, 1], [0, 1]] and m.variance == 2
    assert source.rho_left == pytest.approx(0.75)
    score = L1Gap((("a",), ("b",)), (np.zeros(2), np.array([1.0, 2.0])), (1, 1), (0.0, 0.0))
    assert source.choose(score, rho=0.25).clique == ("a",)
    assert source.score(score, rho=0.25).values.tolist() == [3.0, 0.0]
    assert source.rho_left == pytest.approx(0.25)


def test_a_coarser_view_answers_in_groups_and_pays_from_the_same_account() -> None:
    domain = Domain(("a", "b"), (3, 2))
    source = Exact(Codes.of(np.array([[0, 0], [2, 1], [1, 1]]), domain), domain, rho=1.0)
    coarse = source.coarsened([Grouping(column="a", group_of=(0, 1, 1), weights=(1.0,) * 3)])
    assert coarse.domain.sizes == (2, 2)
    m = coarse.measure(("a", "b"), rho=0.25)
    assert m.counts.tolist() == [[1, 0], [0, 2]] and m.groups == {"a": (0, 1, 1)}
    assert coarse.measure(("b",), rho=0.25).groups == {}
    assert source.rho_left == pytest.approx(0.5)


def test_a_batch_is_one_after_the_other_from_one_account() -> None:
    source = Exact(Codes.of(np.array([[0, 0], [1, 1], [1, 0]]), DOMAIN), DOMAIN, rho=1.0)
    rest = source.rho_left_after([0.25, 0.5])
    assert rest == pytest.approx(0.25)
    batch = source.measure_all([(("a",), 0.25), (("b",), 0.5), (("a", "b"), rest)])
    assert [m.counts.tolist() for m in batch][:2] == [[1, 2], [2, 1]]
    assert [m.step for m in batch] == [0, 1, 2] and source.rho_left == 0
