from fractions import Fraction

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import Measurement
from synth.core.zeros import Zero
from synth.estimates.effects import Pool
from synth.mechanisms.absyn import ABSyn
from synth.mechanisms.shared.base import Fitted, Problem
from synth.models import pgm
from synth.models.estimates.total import estimate_total
from synth.private.counting.codes import Codes
from synth.private.noise import discrete_gaussian
from synth.private.scores import InDif
from tests.mechanisms.examples import chain, fit, is_divided_in_tenths, problem_about

DOMAIN = Domain(tuple("abcde"), (4, 4, 4, 3, 1))


def fitted(rho: float, problem: Problem | None = None, **options: float) -> Fitted:
    return fit(ABSyn(**options), chain(0.95), DOMAIN, rho, problem)


def pairs(result: Fitted) -> list[Clique]:
    return [m.clique for m in result.evidence.measurements if len(m.clique) == 2]


def test_the_budget_is_split_as_the_paper_says_and_its_scores_share_one_part() -> None:
    is_divided_in_tenths(fitted(0.05), 0.05)


def test_every_pair_that_can_be_dependent_is_scored_and_no_other() -> None:
    score = fitted(0.05).evidence.scores[0].score
    assert isinstance(score, InDif)
    assert set(score.cliques) == {(x, y) for x in "abcd" for y in "abcd" if x < y}


def test_strong_relations_are_measured_and_what_follows_from_them_is_not() -> None:
    result = fitted(2e-5)
    assert set(pairs(result)) == {("a", "b"), ("b", "c")}
    assert {m.clique for m in result.evidence.measurements[5:]} >= {("d",), ("e",)}


def test_a_pair_costs_by_its_cells_to_the_power_of_two_thirds() -> None:
    prices = {m.clique: m.rho for m in fitted(2e-5).evidence.measurements[5:]}
    assert prices["a", "b"] == pytest.approx(prices["d",] * (16 / 3) ** (2 / 3))


def test_no_clique_outgrows_its_cells_but_for_those_of_zeros() -> None:
    assert max(map(len, fitted(50.0, clique_cells=1000).model.cliques)) > 2
    small = fitted(50.0, clique_cells=16).model
    assert max(DOMAIN.size(r) for r in small.cliques) <= 16
    zero = Zero(("a", "b", "c"), np.zeros((4, 4, 4), dtype=bool))
    problem = problem_about(DOMAIN, zeros=(zero,))
    sizes = [DOMAIN.size(r) for r in fitted(50.0, problem, clique_cells=16).model.cliques]
    assert max(sizes) == 64


def test_the_fit_finds_the_averages_of_line_12() -> None:
    """Every column of the model equals the precision-weighted mean of all tables that contain the column."""
    sigmas = {("a",): 40.0, ("a", "b"): 8.0, ("b", "c"): 12.0, ("c",): 25.0}
    codes = Codes.of(chain(0.95), DOMAIN)
    measured = []
    for clique, sigma in sigmas.items():
        exact = codes.counts(DOMAIN.axes(clique))
        variance = Fraction(round(sigma**2))
        noise = discrete_gaussian(variance, exact.size).reshape(exact.shape)
        measured.append(Measurement(clique=clique, counts=exact + noise, variance=variance, units=1))
    model = pgm.fit(DOMAIN, measured, total=estimate_total(measured))
    pool = Pool(DOMAIN, measured)
    for name in "abc":
        gap = np.abs(model.project((name,)) - pool.estimate((name,))).max()
        assert gap < 3 * pool.cell_variance((name,)) ** 0.5
