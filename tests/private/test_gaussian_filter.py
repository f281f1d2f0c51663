"""Gaussian answers whose prices follow from earlier answers keep the promise of their limit.

Two neighbouring tables, the real session and ledger, and every first answer in turn: the law of all that is
heard is then known exactly, and so is its delta (`assets/proofs/adaptive-gaussian-filter.md`).
"""

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from synth.core.accounting import GAUSSIAN, Noise, limit_for
from synth.core.accounting.gaussian import gaussian_delta_from
from synth.core.domain import Domain
from synth.core.errors import BudgetRefused
from synth.core.schema import ProtectedChange, Schema, Unit
from synth.private.account import Account
from synth.private.counting.codes import Codes
from synth.private.ledger import Ledger
from synth.private.noise import SAMPLERS, enclosed_cdf
from synth.private.queries import Marginal
from synth.private.session import PrivateSource

EPSILON, DELTA = 1.0, 1e-3
COUNT = 5
"""Rows of the smaller table. The larger one has one more, which counts in column a and, as it is blank there,
not in column b."""
DOMAIN = Domain(("a", "b"), (1, 1))
SCHEMA = Schema(name="t", population="p", unit=Unit(max_rows=1), columns=())
ONE = ProtectedChange(max_rows=1)
REACH = 45
ANSWERS = range(COUNT - REACH, COUNT + REACH + 2)
Strategy = Callable[[int], tuple[str, float]]
"""From the first answer to the column asked next, and the share of what is left that pays for it."""
OnStep = tuple[str, list[Fraction]]


def all_of_it(answer: int) -> tuple[str, float]:
    return "a", 1.0


def by_the_answer(answer: int) -> tuple[str, float]:
    """Everything while it looks telling, a part or something pointless if not."""
    if answer > COUNT:
        return "a", 1.0
    return ("a", 0.4) if answer > COUNT - 3 else ("b", 1.0)


class Scripted:
    """The noise that makes an answer the wanted one; tells the variance it was asked for."""

    def __init__(self) -> None:
        self.noise, self.variances = 0, list[Fraction]()

    def __call__(self, variance: Fraction, size: int, *, entropy: object) -> np.ndarray:
        self.variances.append(variance)
        return np.full(size, self.noise)


def heard(folder: Path, monkeypatch: pytest.MonkeyPatch, strategy: Strategy) -> dict[int, OnStep]:
    """For every first answer the column asked next and the variances of both answers, from the real session.
    First answers with the same next query share a line."""
    ledger, noise = Ledger(folder / "ledger.sqlite"), Scripted()
    monkeypatch.setitem(SAMPLERS, Noise.ROUNDED, noise)
    limit = limit_for(EPSILON, DELTA)
    units = limit.gaussian_units
    codes = Codes([np.zeros(COUNT, np.uint8), np.zeros(COUNT, np.uint8)], DOMAIN, spans=(1, 2))
    known: dict[tuple[str, float], OnStep] = {}
    for answer in ANSWERS:
        column, share = strategy(answer)
        if (column, share) in known:
            continue
        name = f"line {answer}"
        ledger.open_population(name, units=limit, reason="test", protects=ONE)
        ledger.open_run(name, name, units=units, label="", law=GAUSSIAN, protects=ONE)
        account = Account(ledger, name, part="m", units=units, population=name, law=GAUSSIAN)
        source = PrivateSource(codes, DOMAIN, account, schema=SCHEMA)
        noise.noise, noise.variances = answer - COUNT, []
        first = source.ask([(Marginal(("a",)), 0.5 * source.left.rho)])[0]
        assert first.counts.tolist() == [answer]
        source.ask([(Marginal((column,)), share * source.left.rho)])
        with pytest.raises(BudgetRefused):
            ledger.open_run(name, "more", units=1, label="", law=GAUSSIAN, protects=ONE)
        known[column, share] = column, noise.variances
    return {answer: known[strategy(answer)] for answer in ANSWERS}


def rounded(mean: int, variance: Fraction | float) -> np.ndarray:
    """The law of round(N(mean, variance)) over the answers that matter."""
    edges = np.append(ANSWERS, ANSWERS.stop) - 0.5
    return np.diff(norm.cdf(edges, mean, math.sqrt(variance)))


def laws(stated: dict[int, OnStep], *, factor: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """The probabilities of both answers on the two tables, the second with its variance times `factor`."""
    smaller, larger = [], []
    for i, (column, (first, second)) in enumerate(stated.values()):
        later = float(second) * factor
        smaller.append(rounded(COUNT, first)[i] * rounded(COUNT, later))
        larger.append(rounded(COUNT + 1, first)[i] * rounded(COUNT + (column == "a"), later))
    return np.array(smaller), np.array(larger)


def delta_of(p: np.ndarray, q: np.ndarray, epsilon: float = EPSILON) -> float:
    """The smallest delta of two laws at an epsilon, either way round."""
    return float(max(np.maximum(x - math.exp(epsilon) * y, 0).sum() for x, y in ((p, q), (q, p))))


@pytest.mark.parametrize("strategy", [all_of_it, by_the_answer])
def test_adaptive_prices_keep_the_limit(
    strategy: Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stated = heard(tmp_path, monkeypatch, strategy)
    smaller, larger = laws(stated)
    assert min(smaller.sum(), larger.sum()) > 1 - 1e-9
    assert DELTA / 2 < delta_of(smaller, larger) <= DELTA
    assert delta_of(*laws(stated, factor=0.8)) > DELTA, "a quarter more for the second answer is too much"


@pytest.mark.parametrize("sigma", [0.7, 1.0, 2.0, 5.0])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_a_rounded_answer_is_never_beyond_the_curve(sigma: float, epsilon: float) -> None:
    curve = gaussian_delta_from(sigma, epsilon)
    p, q = rounded(COUNT, sigma**2), rounded(COUNT + 1, sigma**2)
    assert delta_of(p, q, epsilon) <= curve * (1 + 1e-9) + 1e-15


def test_a_discrete_gaussian_passes_the_curve_that_a_rounded_normal_keeps() -> None:
    """Why a Gaussian run draws the one and not the other."""
    variance, epsilon = Fraction(4), 2.25
    low, _ = enclosed_cdf(variance, 80)
    half = np.diff([0.0, *(float(Fraction(v, 2**80)) for v in low)])[:REACH] / 2
    law = np.concatenate([half[:0:-1], [2 * half[0]], half[1:]])
    discrete = delta_of(np.append(law, 0.0), np.insert(law, 0, 0.0), epsilon)
    curve = gaussian_delta_from(2.0, epsilon)
    assert discrete > 1.01 * curve
    assert delta_of(rounded(COUNT, variance), rounded(COUNT + 1, variance), epsilon) <= curve * (1 + 1e-8)
