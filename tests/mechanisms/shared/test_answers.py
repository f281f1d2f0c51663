import numpy as np
import pytest

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.graphs.workload import Workload
from synth.core.zeros import Zero
from synth.mechanisms.mst import MST
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.base import Problem
from synth.private.scores import L1Gap
from tests.exact import Exact
from tests.mechanisms.examples import exact

DOMAIN = Domain(("a", "b"), (2, 2))


def asking(source: Exact, *zeros: Zero) -> Answers:
    codebook = Codebook.plain(DOMAIN, zeros=zeros)
    return Answers(MST(), source, Problem(workload=Workload.all_kway(DOMAIN, 2), codebook=codebook))


def test_every_answer_is_kept_and_old_estimates_are_let_go() -> None:
    zero = Zero(("a", "b"), np.array([[False, True], [False, False]]))
    source = exact(np.array([[0, 0], [1, 1], [1, 0]]), DOMAIN, rho=100.0)
    answers = asking(source, zero)
    answers.measure(("a",), rho=10)
    score = L1Gap((("a",), ("b",)), (np.array([1.0, 2.0]), np.zeros(2)), (1, 1), (0.0, 0.0))
    assert answers.choose(score, rho=1).clique == ("b",)
    answers.choose(score, rho=1)
    fitted = answers.fitted()
    assert [m.clique for m in fitted.evidence.measurements] == [("a",)]
    assert [e.size for e in fitted.evidence.choices[0].score.estimates] == [0, 2]  # type: ignore[attr-defined]
    assert [e.size for e in fitted.evidence.choices[1].score.estimates] == [2, 2]  # type: ignore[attr-defined]
    assert ("a", "b") in answers.cliques
    assert fitted.model.project(("a", "b"))[0, 1] == 0


def test_an_estimate_stays_with_the_latest_choice_that_had_it() -> None:
    """The estimate also stays with a choice that selected the candidate, regardless of the number of later
    choices among other candidates.
    """
    source = exact(np.array([[0, 0], [1, 1], [1, 0]]), DOMAIN, rho=100.0)
    answers = asking(source)
    answers.measure(("a",), rho=10)
    tables = {("a",): np.array([1.0, 2.0]), ("b",): np.array([2.0, 1.0]), ("a", "b"): np.full((2, 2), 9.0)}
    for requested in ([("a",), ("b",), ("a", "b")], [("a",)], [("b",)], [("a",), ("b",)]):
        some = tuple(tables[r] for r in requested)
        answers.choose(L1Gap(tuple(requested), some, (1,) * len(requested), (0.0,) * len(requested)), rho=1)
    left = [[e.size for e in c.score.estimates] for c in answers.fitted().evidence.choices]  # type: ignore[attr-defined]
    assert left == [[0, 0, 4], [2], [2], [2, 2]]


def test_scores_are_kept_and_old_estimates_are_let_go() -> None:
    source = exact(np.array([[0, 0], [1, 1], [1, 0]]), DOMAIN, rho=100.0)
    answers = asking(source)
    answers.measure(("a",), rho=10)
    assert answers.total == 3
    score = L1Gap((("a",), ("b",)), (np.array([1.0, 0.0]), np.zeros(2)), (1, 1), (0.0, 0.0))
    assert answers.score(score, rho=1).values.tolist() == [2.0, 3.0]
    answers.score(L1Gap((("b",),), (np.zeros(2),), (1,), (0.0,)), rho=1)
    first, second = answers.fitted().evidence.scores
    assert [e.size for e in first.score.estimates] == [2, 0]  # type: ignore[attr-defined]
    assert [e.size for e in second.score.estimates] == [2]  # type: ignore[attr-defined]


def test_shares_of_a_price_are_paid_to_the_last_unit() -> None:
    source = exact(np.array([[0, 0]]), DOMAIN, rho=1.0)
    answers = asking(source)
    answers.measure_all({("a",): 1 / 3, ("b",): 1 / 3, ("a", "b"): 1 / 3}, rho=1.0)
    prices = [m.units for m in answers.fitted().evidence.measurements]
    assert sum(prices) >= 10**12 - 3
    assert max(prices) - min(prices) <= 3


def test_each_of_several_tables_is_measured_at_the_same_price() -> None:
    source = exact(np.array([[0, 0]]), DOMAIN, rho=1.0)
    answers = asking(source)
    answers.measure_each([("a",), ("a", "b")], rho=0.25)
    answers.measure_each([], rho=0.25)
    measured = answers.fitted().evidence.measurements
    assert [m.clique for m in measured] == [("a",), ("a", "b")]
    assert {m.units for m in measured} == {25 * 10**10} and source.left.rho == 0.5


def test_noise_is_expected_over_the_cells_that_zeros_allow() -> None:
    zero = Zero(("a", "b"), np.array([[False, True], [False, False]]))
    source = exact(np.zeros((1, 2), dtype=np.int64), DOMAIN, rho=1.0)
    answers = asking(source, zero)
    noise = answers.noise([("a",), ("a", "b")], rho=0.5)
    draws = np.abs(np.random.default_rng(0).normal(size=100_000)).mean()
    assert noise["a",] == pytest.approx(2 * draws, rel=0.01)
    assert noise["a", "b"] == pytest.approx(3 * draws, rel=0.01)


def test_the_worst_candidate_is_the_one_whose_gap_stands_out_of_its_noise() -> None:
    source = exact(np.array([[0, 0]] * 6 + [[1, 1]] * 2), DOMAIN, rho=100.0)
    answers = asking(source)
    answers.measure(("a",), rho=10)
    model, weights = answers.fitted().model, {("a",): 1, ("b",): 1, ("a", "b"): 1}

    def worst(noise: float, weight: int) -> tuple[str, ...]:
        clique, _ = answers.choose_worst(
            list(weights),
            model.project_many(weights),
            weights={**weights, ("b",): weight},
            noise={("a",): 0.0, ("b",): 0.0, ("a", "b"): noise},
            rho=1,
        )
        return clique

    assert worst(0.0, 1) == ("a", "b")
    assert worst(0.0, 5) == worst(7.0, 1) == ("b",)
