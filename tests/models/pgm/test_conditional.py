"""Rows and probabilities under conditions."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import Measurement
from synth.models import pgm
from synth.models.pgm.conditional import conditioned
from synth.models.pgm.queries import Queries
from synth.models.pgm.records import draw_records

Measure = Callable[..., list[Measurement]]
CLIQUES = [("a", "c"), ("c", "d"), ("d", "e")]


def fitted(domain: Domain, measure: Measure) -> pgm.PGM:
    return pgm.fit(domain, measure(CLIQUES), total=400.0)


def joint_of(model: pgm.PGM, weights: dict[int, np.ndarray]) -> np.ndarray:
    """Return the weighted distribution of all columns, computed from the model's full table."""
    joint = model.project(model.domain.names) / model.total
    for axis, weight in weights.items():
        joint = joint * weight.reshape([-1 if i == axis else 1 for i in range(joint.ndim)])
    return joint


@pytest.mark.parametrize("kind", ["single", "several", "soft", "none"])
def test_pairs_and_probability_are_the_models_own(domain: Domain, measure: Measure, kind: str) -> None:
    model, rng = fitted(domain, measure), np.random.default_rng(5)
    chosen = {"single": range(1), "several": range(len(domain)), "soft": (1, 3), "none": ()}[kind]
    weights = {}
    for axis in chosen:
        size = domain.sizes[axis]
        weights[axis] = rng.random(size) if kind == "soft" else (rng.random(size) < 0.6).astype(float)
        weights[axis][0] = 1.0
    joint = joint_of(model, weights)
    probability, beliefs = conditioned(model.tree, model.beliefs, weights)
    assert probability == pytest.approx(joint.sum(), rel=1e-12)
    pairs = list(combinations(range(len(domain)), 2))
    tables = dict(Queries(model.tree, beliefs).marginals([1 << i | 1 << j for i, j in pairs]))
    for number, (i, j) in enumerate(pairs):
        away = tuple(axis for axis in range(len(domain)) if axis not in (i, j))
        table = tables[number] if model.tree.rank[i] < model.tree.rank[j] else tables[number].T
        assert np.allclose(table, joint.sum(axis=away) / joint.sum(), rtol=1e-9, atol=1e-12)


def test_what_cannot_be_has_no_probability(domain: Domain, measure: Measure) -> None:
    model = fitted(domain, measure)
    none = np.zeros(domain.sizes[2])
    probability, beliefs = conditioned(model.tree, model.beliefs, {2: none})
    assert probability == 0.0 and beliefs == model.beliefs


def test_drawn_rows_follow_the_conditional_distribution(domain: Domain, measure: Measure) -> None:
    """The test computes the chi-square statistic of 100,000 rows over two columns outside the condition. The
    draws are systematic, so it is smaller than for independent draws.
    """
    model = fitted(domain, measure)
    weights = {0: np.eye(domain.sizes[0])[0], 3: np.r_[0.0, np.ones(domain.sizes[3] - 1)]}
    _, beliefs = conditioned(model.tree, model.beliefs, weights)
    rows = draw_records(model.tree, beliefs, 100_000, rng=np.random.default_rng(6))
    assert set(rows[:, 0]) == {0} and 0 not in rows[:, 3]
    clique: Clique = domain.names[1:3]
    expected = joint_of(model, weights).sum(axis=tuple(i for i in range(len(domain)) if i not in (1, 2)))
    index = np.ravel_multi_index((rows[:, 1], rows[:, 2]), domain.shape(clique))
    counts = np.bincount(index, minlength=expected.size)
    cells = expected.ravel() > 0
    scaled = expected.ravel()[cells] / expected.sum() * 100_000
    assert stats.chisquare(counts[cells], scaled).pvalue > 1e-4 and counts[~cells].sum() == 0
