"""What an answer costs covers what it tells, on the worst neighbours; with another noise it would not.

The room is asked as a mechanism asks it. From what it says of its noise the loss on two neighbouring tables
is computed exactly, without the room's own formulas; a deliberately wrong sigma or swing is then rejected by
the very same check.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.measurements.noisy import Choice, Measurement
from synth.core.schema import Neighbours, ProtectedChange, Schema, Unit
from synth.private.account import Account
from synth.private.counting.codes import Codes
from synth.private.ledger import Ledger
from synth.private.queries import Marginal, Selection
from synth.private.scores import L1Gap
from synth.private.session import PrivateSource

DOMAIN = Domain(("a", "b"), (4, 3))
PAIR = ("a", "b")
BASE = np.repeat([[0, 0], [1, 1], [2, 2]], 20, axis=0)
UNITS = [
    (Neighbours.ADD_REMOVE, 1),
    (Neighbours.ADD_REMOVE, 3),
    (Neighbours.REPLACE, 1),
    (Neighbours.REPLACE, 2),
]


def worst(relation: Neighbours, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Two neighbouring tables as far apart as the unit allows: all its rows in one cell."""
    mine = np.tile([[3, 0]], (rows, 1))
    other = np.tile([[0, 2]], (rows, 1))
    return np.vstack([BASE, mine]), BASE if relation is Neighbours.ADD_REMOVE else np.vstack([BASE, other])


def source(
    folder: Path, rows: np.ndarray, relation: Neighbours, most: int, domain: Domain = DOMAIN
) -> PrivateSource:
    units = 10**10

    public = len(rows) if relation is Neighbours.REPLACE else None
    schema = Schema(name="t", population="t", unit=Unit(max_rows=most), columns=(), rows_public=public)
    assert schema.neighbours is relation
    ledger = Ledger(folder / "ledger.sqlite")
    ledger.open_population("t", units=units, reason="test", protects=ProtectedChange(max_rows=1))
    ledger.open_run("t", "run", units=units, label="test", protects=ProtectedChange(max_rows=1))
    account = Account(ledger, "run", part="mechanism", units=units, population="t")
    return PrivateSource(Codes.of(rows, domain), domain, account, schema=schema)


def counts(rows: np.ndarray) -> np.ndarray:
    return Codes.of(rows, DOMAIN).counts((0, 1)).reshape(DOMAIN.shape(PAIR))


def paid_in_full(answer: Measurement, one: np.ndarray, other: np.ndarray) -> float:
    """The Gaussian's exact loss in rho over the price; at most 1 or the answer tells more than it cost."""
    distance = int(np.square(counts(one) - counts(other)).sum())
    share = float(Fraction(distance, 2) / answer.variance / Fraction(answer.units, 10**12))
    assert share <= 1 + 1e-9, "the noise is too small for the price"
    return share


def within_its_range(choice: Choice, one: np.ndarray, other: np.ndarray) -> float:
    """The range of the log-ratio of a selection's probabilities over epsilon, whose price is eps^2 / 8."""
    assert choice.epsilon**2 / 8 <= choice.units * 1e-12 * (1 + 1e-9)

    def logs(rows: np.ndarray) -> np.ndarray:
        values = [
            choice.score.value(i, Codes.of(rows, DOMAIN).counts(DOMAIN.axes(r)).reshape(DOMAIN.shape(r)))
            for i, r in enumerate(choice.score.cliques)
        ]
        weights = np.array(values, dtype=float) * choice.epsilon / choice.swing
        return weights - weights.max() - math.log(np.exp(weights - weights.max()).sum())

    ratio = logs(one) - logs(other)
    share = float(ratio.max() - ratio.min()) / choice.epsilon
    assert share <= 1 + 1e-9, "the swing is too small for the score"
    return share


@pytest.mark.parametrize("relation, rows", UNITS)
def test_a_measurement_costs_what_it_tells_and_a_smaller_sigma_is_rejected(
    tmp_path: Path, relation: Neighbours, rows: int
) -> None:
    one, other = worst(relation, rows)
    answer = source(tmp_path, one, relation, rows).ask([(Marginal(PAIR), 0.001)])[0]
    share = paid_in_full(answer, one, other)
    assert share > 0.49  # replacing moves two cells by k each; the room guards against one cell twice
    smaller = replace(answer, variance=answer.variance * Fraction(share) * Fraction(99, 100))
    with pytest.raises(AssertionError, match="noise is too small"):
        paid_in_full(smaller, one, other)


@pytest.mark.parametrize("relation, rows", UNITS)
def test_a_selection_costs_what_it_tells_and_a_smaller_swing_is_rejected(
    tmp_path: Path, relation: Neighbours, rows: int
) -> None:
    """Two gaps that the same rows drive apart: one estimate lacks them, the other one has too many."""
    one, other = worst(relation, rows)
    score = L1Gap(
        cliques=(("a",), ("b",)),
        estimates=(np.array([90.0, 0.0, 0.0, 0.0]), np.array([90.0, 90.0, 0.0])),
        weights=(2, 2),
        penalties=(0.0, 0.0),
    )
    choice = source(tmp_path, one, relation, rows).ask([(Selection(score), 0.001)])[0]
    share = within_its_range(choice, one, other)
    assert share > 0.49
    smaller = replace(choice, swing=math.floor(choice.swing * share * 0.99))
    with pytest.raises(AssertionError, match="swing is too small"):
        within_its_range(smaller, one, other)


def noise_ratio(answer: Measurement, truth: np.ndarray, *, factor: float = 1.0) -> float:
    """The mean square of (answer - truth) / sigma in standard deviations from 1."""
    squares = np.square((answer.counts - truth) / (factor * answer.sigma))
    return float((squares.mean() - 1) / math.sqrt(2 / squares.size))


def test_the_noise_that_is_told_is_the_noise_that_is_drawn_and_another_is_rejected(tmp_path: Path) -> None:
    """Six sigmas either way; a sigma told five percent too small or too large lies beyond."""
    wide = Domain(PAIR, (200, 150))
    answer = source(tmp_path, BASE, Neighbours.ADD_REMOVE, 1, wide).ask([(Marginal(PAIR), 1e-6)])[0]
    truth = Codes.of(BASE, wide).counts((0, 1)).reshape(answer.counts.shape)
    assert abs(noise_ratio(answer, truth)) < 6
    assert noise_ratio(answer, truth, factor=0.95) > 6
    assert noise_ratio(answer, truth, factor=1.05) < -6
