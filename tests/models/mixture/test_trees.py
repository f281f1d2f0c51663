from itertools import combinations

import numpy as np

from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.model import Model
from synth.core.table import CodeTable
from synth.core.zeros import Zero
from synth.models.mixture.mixture import MixtureOfProducts
from synth.models.mixture.trees import MixtureOfTrees
from tests.models.examples import evidence_of, noisy

DOMAIN = Domain(tuple("abcdef"), (8, 6, 8, 5, 8, 7))
ROWS = 20_000


def chain() -> CodeTable:
    """Return columns that equal the previous column with probability 0.8."""
    rng = np.random.default_rng(1)
    codes = np.empty((ROWS, len(DOMAIN)), dtype=np.int64)
    for i, size in enumerate(DOMAIN.sizes):
        leaning = rng.random(ROWS) < (0.8 if i else 0.0)
        codes[:, i] = np.where(leaning, (3 * codes[:, i - 1] + 1) % size, rng.integers(0, size, ROWS))
    return CodeTable(DOMAIN, codes)


def evidence(*, sigma: int, zeros: tuple[Zero, ...] = ()) -> Evidence:
    answers = noisy(
        chain(), [*((name,) for name in DOMAIN.names), *combinations(DOMAIN.names, 2)], sigma=sigma, seed=2
    )
    return evidence_of(DOMAIN, answers, ROWS, zeros=zeros)


def distance(model: Model) -> float:
    """Return the mean total variation distance between all pair tables and the true tables."""
    truth, pairs = chain(), list(combinations(DOMAIN.names, 2))
    stated = zip(pairs, model.project_many(pairs), strict=True)
    return float(np.mean([np.abs(table - truth.project(r)).sum() / 2 / ROWS for r, table in stated]))


def test_a_chain_is_told_better_than_by_products() -> None:
    requested = evidence(sigma=60)
    assert distance(MixtureOfTrees().fit(requested)) < 0.8 * distance(MixtureOfProducts().fit(requested))


def test_zeros_that_no_link_has_are_kept_by_records_and_tables() -> None:
    triple, column = np.zeros((8, 8, 7), dtype=bool), np.zeros(6, dtype=bool)
    triple[:4, 2:, 3], column[5] = True, True
    zeros = (Zero(("a", "e", "f"), triple), Zero(("b",), column))
    model = MixtureOfTrees().fit(evidence(sigma=60, zeros=zeros))
    for zero in zeros:
        assert (model.project(zero.clique)[zero.forbidden] == 0).all()
        assert abs(model.project(zero.clique).sum() - ROWS) < 1e-6 * ROWS
    codes = model.sample(ROWS, np.random.default_rng(3))
    assert not triple[codes[:, 0], codes[:, 4], codes[:, 5]].any() and not column[codes[:, 1]].any()
