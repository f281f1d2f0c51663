"""Records of a model."""

from collections.abc import Callable

import numpy as np

from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import Measurement
from synth.models import pgm

Measure = Callable[..., list[Measurement]]


def counted(domain: Domain, records: np.ndarray, clique: Clique) -> np.ndarray:
    axes = domain.axes(clique)
    index = np.ravel_multi_index(tuple(records[:, i] for i in axes), domain.shape(clique))
    return np.bincount(index, minlength=domain.size(clique)).reshape(domain.shape(clique))


def test_tables_of_the_tree_are_exact(domain: Domain, cliques: list[Clique], measure: Measure) -> None:
    model = pgm.fit(domain, measure(cliques), total=400.0)
    records = model.sample(200_000, np.random.default_rng(1))
    for clique in model.cliques:
        share = counted(domain, records, clique) / 200_000
        assert 0.5 * np.abs(share - model.project(clique) / 400).sum() < 1e-3


def test_relations_outside_the_tree_are_the_models_too(domain: Domain, measure: Measure) -> None:
    model = pgm.fit(domain, measure([("a", "c"), ("c", "d"), ("d", "e")]), total=400.0)
    records = model.sample(200_000, np.random.default_rng(2))
    for clique in (("a", "d"), ("a", "e"), ("c", "e")):
        expected = model.project(clique) / 400
        deviation = np.abs(counted(domain, records, clique) / 200_000 - expected)
        assert (deviation <= 7 * np.sqrt(expected / 200_000) + 1e-4).all()


def test_single_rows_follow_the_model(domain: Domain, measure: Measure) -> None:
    model = pgm.fit(domain, measure([("d", "e")]), total=400.0)
    rng = np.random.default_rng(6)
    records = np.concatenate([model.sample(1, rng) for _ in range(1500)])
    share = counted(domain, records, ("d", "e")) / 1500
    assert np.abs(share - model.project(("d", "e")) / 400).max() < 6.5 * np.sqrt(0.25 / 1500)
