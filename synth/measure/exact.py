"""A source without noise: ground truth for tests and for tables that are public anyway."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from synth.answers import Choice, Measurement, NoisyScores
from synth.axis import Grouping
from synth.counting.codes import Codes
from synth.domain import Clique, Domain
from synth.measure.accounting import rho_of, units_of
from synth.measure.score import SCALE, Score


class Exact:
    """Answers every question with the truth and keeps the same account as the real one would.

    Not private. It lives beside the room so that mechanisms can be tested on what they do rather than on what
    the noise did; a `Synthesis` made from it carries the rehearsal mark and cannot be released.
    """

    def __init__(
        self, codes: Codes, domain: Domain, *, rho: float, groupings: Sequence[Grouping] = ()
    ) -> None:
        self._codes, self._domain, self._account = codes, domain, _Account(units_of(rho))
        self._groups = {g.column: g.group_of for g in groupings}

    @property
    def domain(self) -> Domain:
        return self._domain

    @property
    def row_change(self) -> int:
        return 1

    @property
    def total(self) -> int | None:
        return None

    @property
    def rho_left(self) -> float:
        return rho_of(self._account.left)

    def rho_left_after(self, rhos: Sequence[float]) -> float:
        return rho_of(max(0, self._account.left - sum(units_of(rho) for rho in rhos)))

    def sigma(self, rho: float) -> float:
        return float((1.0 / (2.0 * rho)) ** 0.5)

    def rho_for(self, sigma: float) -> float:
        return 1.0 / (2.0 * sigma * sigma)

    def measure(self, clique: Clique, *, rho: float) -> Measurement:
        """The exact marginal, with the noise parameter its price would have bought."""
        units, step = self._spend(rho)
        return Measurement(
            clique=clique,
            counts=self._codes.counts(self._domain.axes(clique)).reshape(self._domain.shape(clique)),
            variance=Fraction(10**12, 2 * units),
            units=units,
            step=step,
            groups={name: self._groups[name] for name in clique if name in self._groups},
        )

    def measure_all(self, asked: Sequence[tuple[Clique, float]]) -> tuple[Measurement, ...]:
        """One exact marginal after the other."""
        return tuple(self.measure(clique, rho=rho) for clique, rho in asked)

    def choose(self, score: Score, *, rho: float) -> Choice:
        """The best candidate."""
        units, step = self._spend(rho)
        values = [score.value(i, self._counts(r)) for i, r in enumerate(score.cliques)]
        return Choice(
            score=score,
            index=int(np.argmax(values)),
            units=units,
            epsilon=(8 * rho_of(units)) ** 0.5,
            swing=score.swing(1),
            part="mechanism",
            step=step,
        )

    def score(self, score: Score, *, rho: float) -> NoisyScores:
        """The exact scores."""
        units, step = self._spend(rho)
        values = np.array([score.value(i, self._counts(r)) for i, r in enumerate(score.cliques)])
        sigma = (len(values) * score.sensitivity(1) ** 2 / (2 * rho_of(units))) ** 0.5 / SCALE
        return NoisyScores(
            score=score,
            values=values / SCALE,
            sigma=sigma,
            units=units,
            part="mechanism",
            step=step,
            groups=dict(self._groups),
        )

    def coarsened(self, groupings: Sequence[Grouping]) -> Exact:
        """The truth in coarser codes, from the same account."""
        codes = self._codes.grouped(groupings)
        coarse = Exact(codes, codes.domain, rho=0.0, groupings=groupings)
        coarse._account = self._account
        return coarse

    def _counts(self, clique: Clique) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        return self._codes.counts(self._domain.axes(clique)).reshape(self._domain.shape(clique))

    def _spend(self, rho: float) -> tuple[int, int]:
        units = min(units_of(rho), self._account.left)
        self._account.left -= units
        self._account.step += 1
        return units, self._account.step - 1


@dataclass
class _Account:
    """What is left, in units, and the number of the next question."""

    left: int
    step: int = 0
