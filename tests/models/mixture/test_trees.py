from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.core.model import Model
from synth.core.table import CodeTable
from synth.core.zeros import Zero
from synth.models.mixture.mixture import MixtureOfProducts
from synth.models.mixture.trees import MixtureOfTrees

DOMAIN = Domain(tuple("abcdef"), (8, 6, 8, 5, 8, 7))
ROWS = 20_000


def chain() -> CodeTable:
    """Every column follows the one before it eight times in ten."""
    rng = np.random.default_rng(1)
    codes = np.empty((ROWS, len(DOMAIN)), dtype=np.int64)
    for i, size in enumerate(DOMAIN.sizes):
        leaning = rng.random(ROWS) < (0.8 if i else 0.0)
        codes[:, i] = np.where(leaning, (3 * codes[:, i - 1] + 1) % size, rng.integers(0, size, ROWS))
    return CodeTable(DOMAIN, codes)


def evidence(*, sigma: int, zeros: tuple[Zero, ...] = ()) -> Evidence:
    rng, table = np.random.default_rng(2), chain()
    answers = []
    cliques = [*((name,) for name in DOMAIN.names), *combinations(DOMAIN.names, 2)]
    for step, clique in enumerate(cliques):
        counts = table.project(clique)
        noisy = np.rint(counts + rng.normal(0, sigma, counts.shape)).astype(np.int64)
        answers.append(
            Measurement(clique=clique, counts=noisy, variance=Fraction(sigma**2), units=1, step=step)
        )
    codebook = Codebook.plain(DOMAIN, zeros=list(zeros))
    return Evidence(codebook=codebook, answers=tuple(answers), total=float(ROWS))


def distance(model: Model) -> float:
    """Mean total variation distance of all pair tables from the truth."""
    truth, pairs = chain(), list(combinations(DOMAIN.names, 2))
    told = zip(pairs, model.project_many(pairs), strict=True)
    return float(np.mean([np.abs(table - truth.project(r)).sum() / 2 / ROWS for r, table in told]))


def test_a_chain_is_told_better_than_by_products() -> None:
    asked = evidence(sigma=60)
    assert distance(MixtureOfTrees().fit(asked)) < 0.8 * distance(MixtureOfProducts().fit(asked))


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


def test_swaps_bring_records_nearer_to_the_tables() -> None:
    model = MixtureOfTrees().fit(evidence(sigma=60))
    pairs = list(combinations(DOMAIN.names, 2))
    tables = model.project_many(pairs)

    def off(swaps: bool) -> float:
        drawn = CodeTable(DOMAIN, replace(model, swaps=swaps).sample(ROWS, np.random.default_rng(4)))
        return sum(float(np.abs(drawn.project(r) - t).sum()) for r, t in zip(pairs, tables, strict=True))

    assert off(True) < 0.5 * off(False)
