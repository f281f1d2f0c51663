"""The fitted model as the rest of the house sees it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import Measurement
from synth.core.model import Model
from synth.models import pgm

Measure = Callable[..., list[Measurement]]


def test_it_is_a_model_of_the_whole_domain(domain: Domain, cliques: list[Clique], measure: Measure) -> None:
    model = pgm.fit(domain, measure(cliques), total=321.5)
    assert isinstance(model, Model)
    assert {name for clique in model.cliques for name in clique} == set(domain.names)
    assert model.cells == sum(domain.size(clique) for clique in model.cliques)
    assert all(clique == domain.clique(clique) for clique in model.cliques)
    assert model.project(()) == pytest.approx(321.5)
    for name in domain.names:
        assert model.project((name,)).sum() == pytest.approx(321.5)


def test_axes_come_in_the_order_asked_for(domain: Domain, measure: Measure) -> None:
    model = pgm.fit(domain, measure([("a", "c"), ("c", "e")]), total=400.0)
    table = model.project(("a", "c", "e"))
    assert table.shape == domain.shape(("a", "c", "e")) and table.flags.c_contiguous
    assert np.allclose(model.project(("e", "a", "c")), np.transpose(table, (2, 0, 1)))


def test_many_at_once_are_what_they_are_one_by_one(
    domain: Domain, cliques: list[Clique], measure: Measure
) -> None:
    model = pgm.fit(domain, measure(cliques), total=400.0)
    asked = [c for k in (1, 2, 3) for c in combinations(domain.names, k)]
    for clique, table in zip(asked, model.project_many(asked), strict=True):
        assert np.allclose(table, model.project(clique), rtol=1e-12, atol=1e-12)


def test_answers_are_the_callers_own(domain: Domain, measure: Measure) -> None:
    model = pgm.fit(domain, measure([("a", "c")]), total=400.0)
    first = model.project(("a", "c"))
    kept = first.copy()
    first[:] = -1.0
    assert np.array_equal(model.project(("a", "c")), kept)


def test_a_fit_cut_short_says_so(domain: Domain, measure: Measure) -> None:
    options = pgm.FitOptions(tolerance=1e-9, sweeps=4)
    model = pgm.fit(domain, measure([("a", "c"), ("c", "e"), ("a", "e")]), total=400.0, options=options)
    assert not model.converged and model.report.sweeps == 4 and model.report.residual > 1e-9
