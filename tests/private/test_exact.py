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
