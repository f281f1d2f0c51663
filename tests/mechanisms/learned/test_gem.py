from collections import Counter

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.mechanisms.learned.gem import GEM
from synth.mechanisms.shared.base import Fitted, Prospect
from synth.models.networks.network import NetworkGenerator
from synth.private.counting.codes import Codes
from tests.mechanisms.examples import fit, problem_about

DOMAIN = Domain(tuple("abcd"), (4, 3, 4, 2))
SMALL = NetworkGenerator(width=12, batch=32, steps=60, round_steps=5)


def rows() -> np.ndarray:
    """Return rows with a relation of b and d in one cell, and a stronger relation of a and c that is spread
    over many cells.
    """
    rng = np.random.default_rng(0)
    table = rng.integers(0, DOMAIN.sizes, size=(4000, 4))
    table[:1280, 3] = table[:1280, 1] != 0
    table[3000:, 2] = table[3000:, 0]
    return table


def fitted(rho: float, *, domain: Domain = DOMAIN, **options: float) -> Fitted:
    problem = problem_about(domain, generator=SMALL, device="cpu")
    return fit(GEM(**options), rows()[:, : len(domain)], domain, rho, problem)


def test_every_round_chooses_and_measures_at_its_price_and_the_last_takes_the_rest() -> None:
    evidence = fitted(0.3, rounds=7, alpha=0.5).evidence
    rho = 0.3 / (7 + 0.5 * 4)
    assert [m.rho for m in evidence.measurements] == pytest.approx([rho / 2] * 11)
    assert [c.units * 1e-12 for c in evidence.choices] == pytest.approx([rho / 2] * 7)
    assert [c.clique for c in evidence.choices] == [m.clique for m in evidence.measurements[4:]]
    assert sum(answer.units for answer in evidence.answers) == 300_000_000_000
    share = GEM(rounds=7, alpha=0.5).first_pass(Prospect(sizes=DOMAIN.sizes))
    assert share == pytest.approx(sum(m.rho for m in evidence.measurements[:4]) / 0.3)


def test_there_are_five_rounds_per_column_unless_told() -> None:
    assert len(fitted(0.3).evidence.choices) == 20


def test_it_goes_for_the_pair_with_the_worst_cell_and_not_for_the_worst_pair() -> None:
    table, apart = Codes.of(rows(), DOMAIN), {}
    for r in (("a", "c"), ("b", "d")):
        counts = table.counts(DOMAIN.axes(r))
        apart[r] = np.abs(counts - np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum())
    assert apart["a", "c"].sum() > apart["b", "d"].sum() and apart["a", "c"].max() < apart["b", "d"].max()
    assert fitted(1.0).evidence.choices[0].clique == ("b", "d")


def test_a_pair_may_be_measured_again() -> None:
    assert max(Counter(c.clique for c in fitted(0.3).evidence.choices).values()) > 1
