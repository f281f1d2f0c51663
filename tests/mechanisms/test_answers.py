import numpy as np

from synth.domain import Domain
from synth.measure.codes import Codes
from synth.measure.exact import Exact
from synth.measure.score import L1Gap
from synth.mechanisms.answers import Answers
from synth.mechanisms.base import Task
from synth.select.workload import Workload
from synth.zeros import Zero

DOMAIN = Domain(("a", "b"), (2, 2))


def test_every_answer_is_kept_and_old_estimates_are_let_go() -> None:
    zero = Zero(("a", "b"), np.array([[False, True], [False, False]]))
    source = Exact(Codes.of(np.array([[0, 0], [1, 1], [1, 0]]), DOMAIN), DOMAIN, rho=100.0)
    answers = Answers(source, Task(workload=Workload.all_kway(DOMAIN, 2), zeros=(zero,)))
    answers.measure(("a",), rho=10)
    score = L1Gap((("a",), ("b",)), (np.array([1.0, 2.0]), np.zeros(2)), (1, 1), (0.0, 0.0))
    assert answers.choose(score, rho=1) == ("b",)
    answers.choose(score, rho=1)
    fitted = answers.fitted(answers.fit(None, tolerance=0.1))
    assert [m.clique for m in fitted.measurements] == [("a",)]
    assert [e.size for e in fitted.choices[0].score.estimates] == [0, 2]  # type: ignore[attr-defined]
    assert [e.size for e in fitted.choices[1].score.estimates] == [2, 2]  # type: ignore[attr-defined]
    assert ("a", "b") in answers.cliques
    assert fitted.model.project(("a", "b"))[0, 1] == 0


def test_scores_are_kept_and_old_estimates_are_let_go() -> None:
    source = Exact(Codes.of(np.array([[0, 0], [1, 1], [1, 0]]), DOMAIN), DOMAIN, rho=100.0)
    answers = Answers(source, Task(workload=Workload.all_kway(DOMAIN, 2)))
    answers.measure(("a",), rho=10)
    assert answers.total == 3
    score = L1Gap((("a",), ("b",)), (np.array([1.0, 0.0]), np.zeros(2)), (1, 1), (0.0, 0.0))
    assert answers.score(score, rho=1).tolist() == [2.0, 3.0]
    answers.score(L1Gap((("b",),), (np.zeros(2),), (1,), (0.0,)), rho=1)
    first, second = answers.fitted(answers.fit(None, tolerance=0.1)).scores
    assert [e.size for e in first.score.estimates] == [2, 0]  # type: ignore[attr-defined]
    assert [e.size for e in second.score.estimates] == [2]  # type: ignore[attr-defined]


def test_shares_of_a_price_are_paid_to_the_last_unit() -> None:
    source = Exact(Codes.of(np.array([[0, 0]]), DOMAIN), DOMAIN, rho=1.0)
    answers = Answers(source, Task(workload=Workload.all_kway(DOMAIN, 2)))
    answers.measure_all({("a",): 1 / 3, ("b",): 1 / 3, ("a", "b"): 1 / 3}, rho=1.0)
    prices = [m.units for m in answers.fitted(answers.fit(None, tolerance=0.1)).measurements]
    assert sum(prices) >= 10**12 - 3
    assert max(prices) - min(prices) <= 3
