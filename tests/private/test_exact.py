import numpy as np
import pytest

from synth.core.domain import Domain
from synth.private.counting.codes import Codes
from synth.private.exact import Exact
from synth.private.queries import Marginal, Scores, Selection
from synth.private.scores import L1Gap

DOMAIN = Domain(("a", "b"), (2, 2))
ROWS = np.array([[0, 0], [0, 1], [1, 1]])


def test_it_answers_with_the_truth_and_keeps_the_account() -> None:
    source = Exact(Codes.of(ROWS, DOMAIN), DOMAIN, rho=1.0)
    m = source.ask([(Marginal(("a", "b")), 0.25)])[0]
    assert m.counts.tolist() == [[1, 1], [0, 1]] and m.variance == 2
    assert source.left.rho == pytest.approx(0.75)
    score = L1Gap((("a",), ("b",)), (np.zeros(2), np.array([1.0, 2.0])), (1, 1), (0.0, 0.0))
    assert source.ask([(Selection(score), 0.25)])[0].clique == ("a",)
    assert source.ask([(Scores(score), 0.25)])[0].values.tolist() == [3.0, 0.0]
    assert source.left.rho == pytest.approx(0.25)


def test_a_question_about_groups_is_answered_in_groups_from_the_same_account() -> None:
    domain = Domain(("a", "b"), (3, 2))
    source = Exact(Codes.of(np.array([[0, 0], [2, 1], [1, 1]]), domain), domain, rho=1.0)
    groups = {"a": (0, 1, 1)}
    (m,) = source.ask([(Marginal(("a", "b")).within(groups), 0.25)])
    assert m.counts.tolist() == [[1, 0], [0, 2]] and m.groups == {"a": (0, 1, 1)}
    assert source.ask([(Marginal(("b",)).within(groups), 0.25)])[0].groups == {}
    assert source.left.rho == pytest.approx(0.5)


def test_a_batch_is_one_after_the_other_from_one_account() -> None:
    source = Exact(Codes.of(np.array([[0, 0], [1, 1], [1, 0]]), DOMAIN), DOMAIN, rho=1.0)
    rest = source.left.after([0.25, 0.5]).rho
    assert rest == pytest.approx(0.25)
    batch = source.ask([(Marginal(("a",)), 0.25), (Marginal(("b",)), 0.5), (Marginal(("a", "b")), rest)])
    assert [m.counts.tolist() for m in batch][:2] == [[1, 2], [2, 1]]
    assert [m.step for m in batch] == [0, 1, 2] and source.left.rho == 0
