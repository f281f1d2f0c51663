"""What a Gaussian run claims, added up again from its answers: mu^2 = sum of change^2 / sigma^2.

The real room answers every question on a table and on each of its neighbours, with the same noise in both; so
the answers differ by what one record moves, and the variance is the one that was asked of the sampler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from synth.core.accounting import GAUSSIAN, Noise, limit_for
from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.schema import Schema, Unit
from synth.mechanisms import MECHANISMS
from synth.mechanisms.selection.workload import Workload
from synth.mechanisms.shared.base import Problem
from synth.private.counting.codes import Codes
from synth.private.ledger import Ask
from synth.private.noise import SAMPLERS
from synth.private.queries.base import GaussianQuery
from synth.private.scores import InDif, L1Gap
from synth.private.session import PrivateSource
from synth.private.terms import Allowance, Terms

DOMAIN = Domain(("a", "b", "c"), (3, 3, 2))
SCHEMA = Schema(name="t", population="p", unit=Unit(max_rows=1), columns=())
NAMES = sorted(name for name, method in MECHANISMS.items() if method.law == GAUSSIAN)
UNITS = limit_for(1.0, 1e-9).gaussian_units


def toy_rows() -> np.ndarray:
    rng = np.random.default_rng(4)
    a = rng.integers(0, 2, 200)
    rows = np.stack([a, (a + (rng.random(200) < 0.2)) % 2, a], axis=1)
    return np.vstack([rows, [[2, 2, 1]]])


def neighbours(rows: np.ndarray) -> Iterator[np.ndarray]:
    for extra in product(*(range(size) for size in DOMAIN.sizes)):
        yield np.vstack([rows, [extra]])
    for row in np.unique(rows, axis=0):
        yield np.delete(rows, int(np.flatnonzero((rows == row).all(axis=1))[0]), axis=0)


class SameNoise:
    """Draws the same noise in every run, and tells the variance it was last asked for."""

    def __init__(self) -> None:
        self.calls, self.variance = 0, Fraction(1)

    def __call__(self, variance: Fraction, size: int, *, entropy: object) -> np.ndarray:
        self.calls, self.variance = self.calls + 1, variance
        noise = np.random.default_rng(self.calls).normal(0, float(variance) ** 0.5, size)
        return np.rint(noise).astype(np.int64)


class Witness:
    """Pays for a run and keeps its answers; of a second run it keeps how far each answer moved."""

    part, law = "mechanism", GAUSSIAN

    def __init__(self, noise: SameNoise, before: Witness | None = None) -> None:
        self.noise, self.before, self.step, self.spent = noise, before, 0, 0
        self.log: list[tuple[dict[str, Any], int, bytes]] = []
        self.losses: list[Fraction] = []
        noise.calls = 0

    ahead = ()

    @property
    def allowance(self) -> Allowance:
        return Allowance(UNITS - self.spent)

    def ask_all(self, asks: Sequence[Ask]) -> tuple[bytes, ...]:
        return tuple(self.ask(dict(ask.query), ask.units, ask.answer) for ask in asks)

    def ask(self, question: dict[str, Any], units: int, answer: Callable[[], bytes]) -> bytes:
        blob, known = answer(), None if self.before is None else self.before.log[self.step]
        self.log.append((question, units, blob))
        self.step += 1
        self.spent += units
        if known is None:
            return blob
        assert known[:2] == (question, units), "the question depends on the data"
        moved = np.frombuffer(blob, dtype="<i8") - np.frombuffer(known[2], dtype="<i8")
        self.losses.append(Fraction(int(np.square(moved).sum())) / self.noise.variance)
        return known[2]


def play(name: str, rows: np.ndarray, witness: Witness) -> Witness:
    source = PrivateSource(Codes.of(rows, DOMAIN), DOMAIN, witness, schema=SCHEMA)
    problem = Problem(workload=Workload.all_kway(DOMAIN, 2), codebook=Codebook.plain(DOMAIN))
    MECHANISMS[name]().run(source, problem, rng=np.random.default_rng(0))
    return witness


def largest_losses(name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Fraction, Fraction]:
    """The largest loss of one question against its price, and of the run against its own, both as shares."""
    noise = SameNoise()
    monkeypatch.setitem(SAMPLERS, Noise.ROUNDED, noise)
    first = play(name, toy_rows(), Witness(noise))
    assert 0.95 * UNITS < first.spent <= UNITS
    one, whole = Fraction(0), Fraction(0)
    for rows in neighbours(toy_rows()):
        witness = play(name, rows, Witness(noise, first))
        assert len(witness.losses) == len(first.log)
        prices = [Fraction(2 * units, 10**12) for _, units, _ in first.log]
        one = max(one, *(loss / price for loss, price in zip(witness.losses, prices, strict=True)))
        whole = max(whole, sum(witness.losses, Fraction(0)) / Fraction(2 * UNITS, 10**12))
    return one, whole


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.long if n in ("privpgd", "gsd") else []) for n in NAMES]
)
def test_no_neighbour_costs_more_than_was_charged(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one, whole = largest_losses(name, monkeypatch)
    assert one <= 1 and whole <= 1
    assert whole > 0.7, "most of the price is what a record can really move"


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n == "grove" else pytest.mark.long) for n in NAMES]
)
def test_too_small_a_sigma_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = GaussianQuery.variance

    def smaller(question: GaussianQuery, units: int, terms: Terms) -> Fraction:
        return honest(question, units, terms) * Fraction(98, 100)

    monkeypatch.setattr(GaussianQuery, "variance", smaller)
    assert largest_losses(name, monkeypatch)[0] > 1


@pytest.mark.parametrize(("name", "score"), [("grove", L1Gap), ("absyn", InDif), ("privmrf", InDif)])
def test_too_small_a_sensitivity_of_scores_is_found(
    name: str, score: type[L1Gap] | type[InDif], monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = score.sensitivity
    monkeypatch.setattr(score, "sensitivity", lambda self, change: honest(self, change) // 8)
    assert largest_losses(name, monkeypatch)[0] > 1
