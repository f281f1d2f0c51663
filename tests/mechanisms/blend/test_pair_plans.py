"""The two plans for pairs, their predicted errors, and the pairs that they measure."""

import math
from dataclasses import replace

import numpy as np
import pytest

from synth.core.axis import Grouping
from synth.core.domain import Clique, Domain
from synth.core.measurements.chance import by_chance
from synth.core.measurements.noisy import Measurement, NoisyNumbers
from synth.core.progress import Progress
from synth.mechanisms.blend import constants as c
from synth.mechanisms.blend.first_pass import FirstPass, first_pass
from synth.mechanisms.blend.measuring import Measuring
from synth.mechanisms.blend.pair_plans import (
    average_cell,
    columns_again,
    error_alike,
    error_one_by_one,
    plan_alike,
    plan_one_by_one,
)
from synth.mechanisms.shared.columns_first import PairAllocation
from synth.models.coarse import Coarsening
from tests.exact import Exact
from tests.mechanisms.examples import exact, problem_about

DOMAIN = Domain(tuple("abcd"), (4, 4, 4, 4))
ROWS = 4000.0
STRONG: dict[Clique, float] = {("a", "b"): 3000.0, ("b", "c"): 2000.0}
AC: Clique = ("a", "c")


def allocation(errors: dict[Clique, float]) -> PairAllocation:
    return PairAllocation(
        coarsening=Coarsening(DOMAIN, ()),
        weights=dict.fromkeys(errors, 1.0),
        errors=errors,
        shares={name: np.full(4, 1 / 4) for name in DOMAIN.names},
        widths=dict.fromkeys(DOMAIN.names, 0.0),
        total=ROWS,
        typical=20.0,
    )


def source_of(rho: float) -> Exact:
    return exact(np.zeros((1, 4), dtype=np.int64), DOMAIN, rho=rho)


def parts(
    errors: dict[Clique, float], *, sampling: dict[Clique, float] | None = None, rho: float = 0.01
) -> dict[Clique, float]:
    plan = plan_one_by_one(allocation(errors), source_of(rho), (), cap=16, sampling=sampling or {})
    return dict(plan.parts)


def test_strong_pairs_of_a_tree_come_first_and_get_most() -> None:
    estimated = parts({**STRONG, AC: 1500.0, ("c", "d"): 0.0})
    assert list(estimated)[:2] == [("a", "b"), ("b", "c")]
    assert sum(estimated.values()) == pytest.approx(0.01)
    assert estimated["a", "b"] >= estimated["b", "c"] > estimated.get(("c", "d"), 0.0)


def test_sampling_error_counts_in_full_beside_the_tree_and_a_relation_less() -> None:
    """An error of 500 with a sampling error of 300 contains a relation of 400. Together, they count as
    sqrt(300^2 + (0.6 400)^2), about 384. This equals the value of a pair that consists only of a sampling
    error of 384.
    """
    worth = np.hypot(300, c.BESIDE * 400)
    shares = np.geomspace(0.0003, 0.01, 40)

    def bought_at(error: float, sampling: float) -> list[bool]:
        return [AC in parts({**STRONG, AC: error}, sampling={AC: sampling}, rho=rho) for rho in shares]

    mixed = bought_at(500.0, 300.0)
    assert mixed == bought_at(worth, worth)
    assert 0 < sum(bought_at(300.0, 300.0)) < sum(mixed) < sum(bought_at(500.0, 900.0)) < len(shares)


def test_if_no_pair_is_worth_its_cost_one_takes_all() -> None:
    assert len(parts(dict.fromkeys([("a", "b"), ("c", "d")], 0.0))) == 1


def test_more_budget_means_less_predicted_error_of_either_plan() -> None:
    found = []
    for rho in (0.001, 0.1, 10.0):
        source, first = passed(rho=rho)
        errors = error_one_by_one(allocation({**STRONG, AC: 500.0}), source_of(rho))
        found.append((errors, error_alike(source, first)))
    assert found == sorted(found, reverse=True) and found[-1][0] < 100


def passed(
    *, rho: float = 1.0, columns: int = 4, codes: int = 4, is_related: bool = False
) -> tuple[Exact, FirstPass]:
    domain = Domain(tuple("abcdefgh"[:columns]), (codes,) * columns)
    rng = np.random.default_rng(0)
    rows = rng.integers(0, codes, (int(ROWS), columns))
    if is_related:
        rows[:, 1] = rows[:, 0]
    source = exact(rows, domain, rho=rho)
    problem = problem_about(domain)
    return source, first_pass(source, problem)


def test_alike_predicts_what_sets_pairs_apart_and_the_noise_of_one_number() -> None:
    source, first = passed(is_related=True)
    values = first.scores[0].values
    noise = math.sqrt(2 / math.pi) * source.terms.sigma(source.left.rho / 6) * 4
    expected = sum(first.weights.values()) * (values.std() + noise) / math.sqrt((4 - 2) / 2)
    assert error_alike(source, first) == pytest.approx(expected)
    assert error_alike(*passed()) < expected
    assert error_alike(*passed(columns=2)) == math.inf


def test_with_a_starting_table_the_plans_are_compared_as_without_one() -> None:
    """A pair's distance from independence combines its distance from the starting table and the distance of
    that table from independence.
    """
    source, first = passed(is_related=True)
    started = replace(first, starts=True)
    assert started.departures == pytest.approx(started.distances), "it has no relation of its own"
    right = replace(started, expected={r: np.eye(4) * ROWS / 4 for r in first.expected})
    assert all(
        found == pytest.approx(math.hypot(started.distances[r], 1.5 * ROWS))
        for r, found in right.departures.items()
    )
    weight, noise = sum(first.weights.values()), source.terms.sigma(source.left.rho / 6)
    apart = np.std([*right.departures.values()])
    assert apart < right.off
    assert error_alike(source, right) == pytest.approx(weight * (apart + math.sqrt(2 / math.pi) * noise * 4))
    near = replace(right, scores=tuple(replace(s, values=s.values * 0 + 1e-6) for s in right.scores))
    assert near.off < 1 and error_alike(source, near) < error_alike(source, right) - 0.9 * weight * apart


def test_alike_gives_each_pair_the_same_in_own_codes_only_if_cells_are_above_the_noise() -> None:
    halves = Grouping(column="a", group_of=(0, 0, 1, 1), weights=(1.0,) * 4)
    coarse = replace(allocation(STRONG), coarsening=Coarsening(DOMAIN, (halves,)))
    for rho, is_clear in ((1.0, True), (1e-5, False)):
        source, first = passed(rho=rho, is_related=True)
        plan = plan_alike(coarse, source, first)
        assert (average_cell(source, first) >= c.OWN_SIGMAS) is is_clear
        assert bool(plan.coarsening.groupings) is not is_clear
        assert set(plan.parts.values()) == {1.0} and len(plan.parts) == 6
        assert next(iter(plan.parts)) == ("a", "b")
        assert (columns_again(source, replace(first, share=0.1), is_alike=True) == 0) is is_clear
        assert columns_again(source, replace(first, share=0.5), is_alike=True) == 0


def test_the_less_the_scores_show_the_more_is_spent_on_columns_but_never_on_clear_cells() -> None:
    source, first = passed(rho=1e-5)
    (scores,) = first.scores
    above = np.mean([by_chance(table) for table in first.expected.values()])
    parts = []
    for z in (-3.0, 0.5, 2.0, 10.0, 1000.0):
        value = above + z * scores.sigma / math.sqrt(6)
        seen = replace(first, scores=(replace(scores, values=np.full(6, value)),))
        assert seen.seen == pytest.approx(z)
        parts.append(columns_again(source, seen, is_alike=False))
    unclear = 1 - average_cell(source, first) / c.CLEAR_SIGMAS
    assert parts == pytest.approx([unclear * x for x in (0.9, 0.9, 0.5, 0.02, 0.0)])
    assert columns_again(*passed(rho=1.0), is_alike=False) == 0


def planned(codes: int, heard: list[Progress]) -> Measuring:
    domain = Domain(("a", "b", "c"), (codes,) * 3)
    rows = np.random.default_rng(0).integers(0, codes, (500, 3))
    source = exact(rows, domain, rho=0.1)
    problem = problem_about(domain, report=heard.append)
    return Measuring(
        source=source,
        problem=problem,
        first=first_pass(source, problem, interactions=codes <= 3),
        coarsening=Coarsening(domain, ()),
        parts={("a", "b"): 1.0, ("b", "c"): 3.0},
        budget=0.1,
    )


def test_costs_follow_the_parts_and_the_last_query_takes_what_is_left() -> None:
    heard: list[Progress] = []
    m = planned(5, heard)
    left = m.left
    first = m.measure(left / 4, m.parts)
    assert [a.units for a in first] == pytest.approx([left / 16 * 1e12, 3 * left / 16 * 1e12], abs=2)
    assert heard[-1].done == pytest.approx(1 - left / 0.1)
    m.measure(m.left, m.parts)
    assert m.left == pytest.approx(0, abs=1e-15)
    known = {answer.clique for answer in m.evidence(first).measurements}
    assert known == {("a",), ("b",), ("c",), ("a", "b"), ("b", "c")}
    assert heard[-1].stage == "fit" and heard[-1].done == pytest.approx(1)


def test_many_codes_are_marginals_few_are_interactions_and_three_columns_need_their_pairs() -> None:
    for codes, kind in ((4, Measurement), (3, NoisyNumbers)):
        m = planned(codes, [])
        assert {type(a) for a in m.measure(m.left, m.parts)} == {kind}
    m = planned(2, [])
    every = {("a", "b"): 1.0, ("a", "c"): 1.0, ("b", "c"): 1.0, ("a", "b", "c"): 1.0}
    *_, whole = m.measure(m.left / 2, {**m.parts, ("a", "b", "c"): 1.0})
    *_, beyond = m.measure(m.left, every)
    assert isinstance(whole, Measurement) and isinstance(beyond, NoisyNumbers)
