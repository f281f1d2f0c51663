"""Small models that the brute-force reference can check: every kind of clique set, with unequal noise."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import Measurement
from tests.models.examples import measurement
from tests.models.pgm.brute_force import project

DOMAIN = Domain(("a", "b", "c", "d", "e"), (3, 1, 4, 2, 3))
"""A domain with unsorted sizes and a column of one value, so that the tree's layout differs from the domain's
order.
"""

CLIQUE_SETS: dict[str, list[Clique]] = {
    "nothing": [],
    "singletons": [("a",), ("c",)],
    "tree": [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")],
    "star": [("a", "c"), ("b", "c"), ("c", "d"), ("c", "e"), ("c",)],
    "cycle": [("a", "c"), ("c", "d"), ("d", "e"), ("a", "e")],
    "all pairs of four": [("a", "c"), ("a", "d"), ("a", "e"), ("c", "d"), ("c", "e"), ("d", "e")],
    "nested": [("a", "c", "d"), ("a", "c"), ("a",), ("d", "e"), ("c", "d")],
    "apart": [("a", "b"), ("c", "d")],
    "whole": [("a", "b", "c", "d", "e"), ("c", "e")],
    "permuted": [("d", "e"), ("c", "d"), ("a", "c"), ("a",), ("e",)],
}

Measure = Callable[..., list[Measurement]]


@pytest.fixture(params=CLIQUE_SETS.values(), ids=CLIQUE_SETS)
def cliques(request: pytest.FixtureRequest) -> list[Clique]:
    """Return each kind of clique set in turn."""
    found: list[Clique] = request.param
    return found


@pytest.fixture
def domain() -> Domain:
    return DOMAIN


@pytest.fixture
def measure() -> Measure:
    """Return noisy tables of one skewed distribution, with a different sigma for every clique."""

    def measured(
        cliques: Sequence[Clique], *, seed: int = 0, domain: Domain = DOMAIN, total: int = 400
    ) -> list[Measurement]:
        rng = np.random.default_rng(seed)
        truth = rng.dirichlet(np.full(domain.size(), 0.3)).reshape(domain.sizes) * total
        answers = []
        for k, clique in enumerate(cliques):
            table = project(domain, truth, clique)
            sigma = 2 + 7 * (k % 3)
            counts = np.rint(table + rng.normal(0, sigma, table.shape)).astype(np.int64)
            answers.append(measurement(clique, counts, sigma**2))
        return answers

    return measured
