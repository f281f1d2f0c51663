"""Scoring and measuring all tables of three columns."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.core.table import CodeTable
from synth.mechanisms.blend import Blend
from synth.mechanisms.blend.constants import (
    ALL_TRIPLES_SCORING,
    BEFORE_ALL_TRIPLES,
    CHEAP_FOUR,
    TRIPLE_OF_PAIR,
)
from synth.mechanisms.blend.first_pass import first_pass
from synth.mechanisms.blend.triples import all_are_clear, parts_of_clear
from synth.mechanisms.shared.base import Fitted
from synth.models.mixture.mixture import MixtureOfProducts
from tests.mechanisms.examples import exact, problem_about

ROWS, RHO = 10_000, 0.3
NAMES = (*"abcdefgh", "y")
EVEN = Domain(NAMES, (2,) * len(NAMES))
XOR: Clique = ("a", "b", "y")


def xor() -> np.ndarray:
    """Return random binary columns of which the last is the XOR of the first two."""
    columns = np.random.default_rng(0).integers(0, 2, (ROWS, len(NAMES) - 1))
    return np.column_stack([columns, columns[:, 0] ^ columns[:, 1]])


def run(*, rho: float = RHO, domain: Domain = EVEN, **stated: Any) -> Fitted:
    source = exact(xor(), domain, rho=rho)
    fitted = Blend().run(source, problem_about(domain, **stated), rng=np.random.default_rng(0))
    assert source.left.rho == pytest.approx(0, abs=1e-12)
    return fitted


@pytest.fixture(scope="module")
def fitted() -> Fitted:
    return run()


def large(fitted: Fitted) -> list[Clique]:
    return [m.clique for m in fitted.evidence.measurements if len(m.clique) > 2]


def test_a_relation_of_three_columns_is_found_measured_and_kept_in_the_records(fitted: Fitted) -> None:
    assert large(fitted)[0] == XOR and {len(r) for r in large(fitted)} == {3}
    codes = fitted.model.sample(ROWS, np.random.default_rng(0))
    assert (codes[:, 0] ^ codes[:, 1] == codes[:, -1]).mean() > 0.97
    real, drawn = CodeTable(EVEN, xor()), CodeTable(EVEN, codes)
    off = [np.abs(real.project(r) - drawn.project(r)).sum() / 2 / ROWS for r in combinations(NAMES, 2)]
    assert np.mean(off) < 0.01


def test_the_budget_is_split_over_pairs_scores_and_tables_worth_it(fitted: Fitted) -> None:
    first, triples, four = fitted.evidence.scores
    before, after = (
        [
            a
            for a in fitted.evidence.numbers
            if len(a.requested["clique"]) > 1 and (a.step < triples.step) is is_before
        ]
        for is_before in (True, False)
    )
    rest = RHO - sum(m.rho for m in fitted.evidence.measurements if len(m.clique) == 1)
    rest -= first.units * 1e-12
    units = [a.units for a in before]
    assert len(units) == 36 and max(units) == pytest.approx(min(units), rel=1e-6)
    assert sum(units) * 1e-12 == pytest.approx(BEFORE_ALL_TRIPLES * rest, rel=1e-6)
    again, large = ([a.units for a in after if len(a.requested["clique"]) == width] for width in (2, 3))
    assert len(again) == 36 and large == pytest.approx(
        [TRIPLE_OF_PAIR * np.mean(again)] * len(large), rel=1e-6
    )
    assert triples.units * 1e-12 == pytest.approx(
        ALL_TRIPLES_SCORING * (1 - BEFORE_ALL_TRIPLES) * rest, rel=1e-6
    )
    assert (len(triples.score.cliques), len(four.score.cliques)) == (84, 126)
    assert four.units * 1e-12 < CHEAP_FOUR * rest


@pytest.mark.parametrize(
    "stated",
    [{"rho": 0.001}, {"generator": MixtureOfProducts()}],
    ids=["too noisy", "a generator that could not keep them"],
)
def test_only_pairs_are_scored_if_triples_would_not_help(stated: dict[str, Any]) -> None:
    fitted = run(**stated)
    assert not large(fitted) and len(fitted.evidence.scores) == 1


def test_tables_further_off_than_their_noise_are_measured_the_furthest_first() -> None:
    source = exact(xor(), EVEN, rho=RHO)
    first = first_pass(source, problem_about(EVEN), interactions=True)
    pairs: dict[Clique, float] = dict.fromkeys(list(combinations(NAMES, 2))[:-1], 2.0)
    quiet = parts_of_clear(source, first, dict.fromkeys(combinations(NAMES, 3), 1e-3), pairs)
    assert quiet == pairs
    lacking: Clique = ("g", "h", "y")  # the pair h, y gets no part of its own
    far: dict[Clique, float] = {("a", "b", "c"): 1e-3, XOR: 5_000.0, lacking: 4_000.0}
    parts = parts_of_clear(source, first, far, pairs)
    assert parts == {**pairs, XOR: 0.4, lacking: 0.4, ("h", "y"): 0.4}
    assert list(parts)[:2] == [XOR, lacking]
    marginals = replace(first, interactions=False)
    assert list(parts_of_clear(source, marginals, far, pairs)) == [XOR, lacking]
    assert parts_of_clear(source, marginals, {XOR: 1e-3}, pairs) == pairs


def test_what_is_clear_follows_from_sizes_cost_and_a_noisy_record_count() -> None:
    problem, rows = problem_about(EVEN), xor()
    for rho, clear in ((0.3, True), (0.0005, False)):
        for some in (rows, np.zeros_like(rows)):
            source = exact(some, EVEN, rho=1.0)
            assert all_are_clear(source, problem, first_pass(source, problem), rho=rho) is clear
    lone = Domain(("a", "b"), (2, 2))
    source = exact(rows[:, :2], lone, rho=1.0)
    alone = problem_about(lone)
    assert not all_are_clear(source, alone, first_pass(source, alone), rho=1.0)


def test_interactions_are_clear_at_a_cost_at_which_marginals_are_not() -> None:
    problem, stated = problem_about(EVEN), []
    for interactions in (False, True):
        source = exact(xor(), EVEN, rho=1.0)
        first = first_pass(source, problem, interactions=interactions)
        stated.append(all_are_clear(source, problem, first, rho=0.01))
    assert stated == [False, True]


def test_more_noise_is_accepted_for_a_workload_of_triples() -> None:
    source = exact(xor(), EVEN, rho=1.0)
    stated = []
    for k in (2, 3):
        problem = problem_about(EVEN, k)
        stated.append(all_are_clear(source, problem, first_pass(source, problem), rho=0.01))
    assert stated == [False, True]
