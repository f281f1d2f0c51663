"""The look at all pairs that Grove and Blend begin with."""

from __future__ import annotations

import numpy as np
import pytest

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.mechanisms.base import Problem, Prospect
from synth.mechanisms.blend import Blend
from synth.mechanisms.first_look import FINE, LEAST_LOOK, LOOKING, SMALL, FirstLook, first_look, likely_look
from synth.mechanisms.selection.workload import Workload
from synth.private.counting.codes import Codes
from synth.private.exact import Exact

DOMAIN = Domain(tuple("abcd"), (4, 4, 3, 2))
ROWS = 4000


def look(rho: float, *, k: int = 2, **shares: float) -> FirstLook:
    """At a table in which b is nearly a, and nothing else is related."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, DOMAIN.sizes, (ROWS, 4))
    rows[:, 1] = np.where(rng.random(ROWS) < 0.8, rows[:, 0], rows[:, 1])
    source = Exact(Codes.of(rows, DOMAIN), DOMAIN, rho=rho)
    problem = Problem(workload=Workload.all_kway(DOMAIN, k), codebook=Codebook.plain(DOMAIN))
    seen = first_look(source, problem, **shares)
    spent = sum(a.rho for a in seen.measured) + sum(s.units for s in seen.scores) / 1e12
    assert spent == pytest.approx(rho - source.left.rho)
    return seen


def test_the_related_pair_stands_out_and_every_pair_was_looked_at() -> None:
    seen = look(1.0)
    (scores,) = seen.scores
    values = dict(zip(seen.expected, scores.values, strict=True))
    assert set(values) == set(seen.weights) and len(values) == 6
    assert max(values, key=lambda r: values[r]) == ("a", "b")
    assert values["a", "b"] > 4 * max(v for r, v in values.items() if r != ("a", "b"))
    assert seen.total == pytest.approx(ROWS, rel=0.01) and set(seen.columns) == set(DOMAIN.names)


def test_shares_that_were_given_are_kept() -> None:
    seen = look(1.0, columns_share=0.3, looking_share=0.2)
    assert sum(m.rho for m in seen.measured) == pytest.approx(0.3, rel=0.02)
    assert seen.scores[0].units / 1e12 == pytest.approx(0.2, rel=1e-6)


def test_a_look_costs_a_twentieth_and_less_where_that_is_fine() -> None:
    assert look(0.01).scores[0].units / 1e12 == pytest.approx(LOOKING * 0.01, rel=1e-6)
    domain = Domain(tuple("abc"), (40, 40, 40))
    rows = np.random.default_rng(0).integers(0, 40, (ROWS, 3))
    problem = Problem(workload=Workload.all_kway(domain, 2), codebook=Codebook.plain(domain))
    (scores,) = first_look(Exact(Codes.of(rows, domain), domain, rho=10.0), problem).scores
    assert scores.sigma == pytest.approx(FINE * ROWS, rel=0.02) and scores.units < 0.002 * 10e12
    said = Blend().choosing_pass(Prospect(sizes=domain.sizes, rows=ROWS, sigma=0.05**0.5))
    assert said == pytest.approx(scores.units / 10e12, rel=0.02)


def test_a_look_at_many_records_is_as_fine_as_what_is_measured_after_it() -> None:
    sizes, pairs, sigma = (7,) * 14, 91, 0.7
    for rows in (1e8, 1e9):
        noise = sigma * np.sqrt(pairs / likely_look(sizes, total=rows, sigma=sigma))
        error = 49 * np.sqrt(2 / np.pi) * sigma * np.sqrt(0.4 * pairs)
        assert noise == pytest.approx(SMALL * error)
    assert likely_look((15,), total=100.0, sigma=sigma) == 0


def test_one_column_of_many_codes_does_not_make_a_look_coarse() -> None:
    assert likely_look((2,) * 15 + (5000,), total=1e6, sigma=4.0) == LOOKING


def test_a_look_at_a_thousand_million_records_still_has_a_price() -> None:
    assert likely_look((1600, 1600), total=1e9, sigma=0.1) == LEAST_LOOK


def test_columns_in_doubt_leave_the_look_its_share_and_the_pairs_some() -> None:
    """So much noise that columns by themselves would take all that the look leaves, and more."""
    seen = look(1e-6, looking_share=0.5)
    assert seen.scores[0].units == 500_000
    assert sum(m.units for m in seen.measured) == pytest.approx(450_000, abs=10)
    assert np.isfinite(seen.typical)


def test_chance_alone_moves_no_pair_that_is_looked_at_by_more_than_a_third_of_the_records() -> None:
    """With hardly any noise and 64 codes of about 60 records each: pairs of codes would have one record."""
    domain, rng = Domain(("a", "b"), (64, 64)), np.random.default_rng(0)
    rows = rng.integers(0, 64, (ROWS, 2))
    source = Exact(Codes.of(rows, domain), domain, rho=1e4)
    problem = Problem(
        workload=Workload.all_kway(domain, 2),
        codebook=Codebook.plain(domain, ordered=dict.fromkeys("ab", 64)),
    )
    seen = first_look(source, problem)
    chance = np.sqrt(2 / np.pi * seen.expected["a", "b"]).sum()
    assert ROWS / 6 < chance <= ROWS / 3
    assert 0 < seen.scores[0].values[0] <= ROWS / 3


def test_without_pairs_there_is_nothing_to_look_at() -> None:
    seen = look(1.0, k=1)
    assert not seen.weights and not seen.scores and seen.typical == np.inf
