"""The room itself: the one place where a question meets rows, after it has been paid for.

Order of every question: check it against the closed list, charge it in the ledger and commit, only then
count, add exact integer noise, store the answer, and hand out what was stored. Marginals whose prices are
fixed beforehand may be asked as a batch (`PrivateSource.measure_all`): all of them are charged before the
first is counted, and all answers are stored before the first is handed out. A question that the run has asked
before is answered from the ledger for free.

In a run that was reserved for Gaussian answers only, noise is a normal number rounded to the nearest integer:
sums of mu^2 = change^2 / sigma^2 are then exact. Elsewhere it is a discrete Gaussian, whose cost is the same
rho = change^2 / (2 sigma^2) in zCDP (Canonne et al. 2020), with less noise where sigma is small.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.answers import Choice, Measurement, NoisyScores
from synth.axis import Axis, Grouping, domain_of
from synth.counting.codes import Codes
from synth.domain import Clique, Domain
from synth.entropy import OS_ENTROPY, Entropy
from synth.errors import Code, Refusal
from synth.measure.accounting import rho_of
from synth.measure.ledger import Ask, Ledger
from synth.measure.ledger.rules import GAUSSIAN
from synth.measure.noise import discrete_gaussian, rounded_gaussian
from synth.measure.payer import Account, Payer
from synth.measure.questions import Question
from synth.measure.score import SCALE, Score
from synth.measure.selection import exponential, selection_epsilon
from synth.measure.table import PrivateTable
from synth.schema import Neighbours, Schema

UNITS_PER_RHO = 10**12


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """How far one unit of protection can move a vector of counts.

    Adding or removing a unit with at most k rows changes a marginal by at most k in L1 and in L2 (all rows
    in one cell). Replacing one takes up to k rows from one cell and puts up to k into another: 2k in L1,
    sqrt(2) k in L2, whether or not the two units have equally many rows.
    """

    rows: int
    neighbours: Neighbours

    @property
    def l1(self) -> int:
        return self.rows * (2 if self.neighbours is Neighbours.REPLACE else 1)

    @property
    def l2_squared(self) -> int:
        return self.rows**2 * (2 if self.neighbours is Neighbours.REPLACE else 1)

    def variance(self, units: int) -> Fraction:
        """sigma^2 of a measurement at this price: the charge is exact and the noise follows from it."""
        return Fraction(self.l2_squared * UNITS_PER_RHO, 2 * units)


class PrivateSource:
    """The real `Source`: exact counts behind a price. Without codes it can only replay."""

    def __init__(
        self,
        codes: Codes | None,
        domain: Domain,
        account: Payer,
        *,
        schema: Schema,
        entropy: Entropy = OS_ENTROPY,
        groupings: Sequence[Grouping] = (),
    ) -> None:
        self._groups = {g.column: g.group_of for g in groupings}
        self._schema = schema
        self._codes, self._domain, self._account, self._entropy = codes, domain, account, entropy
        self._sensitivity = Sensitivity(rows=schema.unit.max_rows, neighbours=schema.neighbours)

    def __repr__(self) -> str:
        return f"PrivateSource(columns={len(self._domain)}, part={self._account.part!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        raise Refusal(Code.QUESTION_INVALID)

    @property
    def domain(self) -> Domain:
        return self._domain

    @property
    def row_change(self) -> int:
        return self._sensitivity.l1

    @property
    def total(self) -> int | None:
        return self._schema.rows_public

    @property
    def rho_left(self) -> float:
        return rho_of(self._account.left)

    def rho_left_after(self, rhos: Sequence[float]) -> float:
        return rho_of(self._account.left - sum(self._prices(rhos)))

    def sigma(self, rho: float) -> float:
        return float((self._sensitivity.l2_squared / (2.0 * rho)) ** 0.5)

    def rho_for(self, sigma: float) -> float:
        return self._sensitivity.l2_squared / (2.0 * sigma * sigma)

    def measure(self, clique: Clique, *, rho: float) -> Measurement:
        """A batch of one marginal."""
        return self.measure_all([(clique, rho)])[0]

    def measure_all(self, asked: Sequence[tuple[Clique, float]]) -> tuple[Measurement, ...]:
        """Marginals with exact noise, paid for together; rho = L2^2 / (2 sigma^2) for each."""
        for clique, _ in asked:
            self._check(clique)
        first, prices = self._account.step, self._prices([rho for _, rho in asked])
        if any(units <= 0 for units in prices):
            raise Refusal(Code.QUESTION_INVALID)
        cliques = [clique for clique, _ in asked]
        blobs = self._account.ask_all([self._marginal(r, u) for r, u in zip(cliques, prices, strict=True)])
        return tuple(
            Measurement(
                clique=clique,
                counts=_integers(blob).reshape(self._domain.shape(clique)),
                variance=self._sensitivity.variance(units),
                units=units,
                part=self._account.part,
                step=step,
                groups=self._groups_of(clique),
                is_rounded=self._account.is_gaussian,
            )
            for step, (clique, units, blob) in enumerate(zip(cliques, prices, blobs, strict=True), first)
        )

    def choose(self, score: Score, *, rho: float) -> Choice:
        """Exponential mechanism at eps^2/8 <= rho (bounded range; Cesar & Rogers 2021).

        Raises: `Refusal` in a Gaussian run, before anything is charged.
        """
        if self._account.is_gaussian:
            raise Refusal(Code.QUESTION_INVALID)
        (units,), step = self._prices([rho]), self._account.step
        self._check_score(score)
        swing = score.swing(self._sensitivity.l1)

        def answer() -> bytes:
            index, _ = exponential(self._values(score), swing=swing, units=units, entropy=self._entropy)
            return json.dumps(index).encode()

        question = {"ask": "choose", "swing": swing, **score.facts(), **_told(self._groups)}
        (blob,) = self._account.ask_all([Ask(question=question, units=units, answer=answer)])
        return Choice(
            score=score,
            index=int(json.loads(blob)),
            units=units,
            epsilon=selection_epsilon(units),
            swing=swing,
            part=self._account.part,
            step=step,
        )

    def score(self, score: Score, *, rho: float) -> NoisyScores:
        """Every score with noise: the vector moves by at most sqrt(m) * sensitivity in L2."""
        (units,), step = self._prices([rho]), self._account.step
        self._check_score(score)
        sensitivity = score.sensitivity(self._sensitivity.l1)
        if units <= 0:
            raise Refusal(Code.QUESTION_INVALID)
        variance = Fraction(len(score.cliques) * sensitivity**2 * UNITS_PER_RHO, 2 * units)

        def answer() -> bytes:
            noise = self._noise(variance, len(score.cliques))
            return bytes((self._values(score) + noise).astype("<i8").tobytes())

        facts = {**score.facts(), **self._law, **_told(self._groups)}
        question = {"ask": "score", "sensitivity": sensitivity, **facts}
        (blob,) = self._account.ask_all([Ask(question=question, units=units, answer=answer)])
        return NoisyScores(
            score=score,
            values=_integers(blob) / SCALE,
            sigma=float(variance) ** 0.5 / SCALE,
            groups=dict(self._groups),
            units=units,
            part=self._account.part,
            step=step,
            is_rounded=self._account.is_gaussian,
        )

    def coarsened(self, groupings: Sequence[Grouping]) -> PrivateSource:
        """The same account over coarser codes; the questions asked of it name the groups."""
        sizes = dict(zip(self._domain.names, self._domain.sizes, strict=True))
        for grouping in groupings:
            if self._groups or sizes.get(grouping.column) != len(grouping.group_of):
                raise Refusal(Code.QUESTION_INVALID)
            sizes[grouping.column] = grouping.size
        return PrivateSource(
            None if self._codes is None else self._codes.grouped(groupings),
            Domain(self._domain.names, tuple(sizes.values())),
            self._account,
            schema=self._schema,
            entropy=self._entropy,
            groupings=groupings,
        )

    def paid_by(self, account: Payer) -> PrivateSource:
        """The same codes, with questions charged to another share of the run."""
        other = PrivateSource(
            self._codes,
            self._domain,
            account,
            schema=self._schema,
            entropy=self._entropy,
        )
        other._groups = self._groups
        return other

    def _marginal(self, clique: Clique, units: int) -> Ask:
        """The question for one marginal at a price."""
        variance = self._sensitivity.variance(units)

        def answer() -> bytes:
            noise = self._noise(variance, self._domain.size(clique))
            return bytes((self._counts(clique).ravel() + noise).astype("<i8").tobytes())

        told = _told(self._groups_of(clique))
        question = {"ask": "measure", "clique": list(clique), **self._law, **told}
        return Ask(question=question, units=units, answer=answer)

    def _groups_of(self, clique: Clique) -> dict[str, tuple[int, ...]]:
        return {name: self._groups[name] for name in clique if name in self._groups}

    @property
    def _law(self) -> dict[str, str]:
        """What a question says of its noise; nothing where it is the discrete Gaussian."""
        return {"law": GAUSSIAN} if self._account.is_gaussian else {}

    def _noise(self, variance: Fraction, size: int) -> NDArray[np.int64]:
        draw = rounded_gaussian if self._account.is_gaussian else discrete_gaussian
        return draw(variance, size, entropy=self._entropy)

    def _values(self, score: Score) -> NDArray[np.int64]:
        return np.array(
            [score.value(i, self._counts(r)) for i, r in enumerate(score.cliques)], dtype=np.int64
        )

    def _counts(self, clique: Clique) -> NDArray[np.int64]:
        if self._codes is None:
            raise Refusal(Code.QUESTION_INVALID)
        return self._codes.counts(self._domain.axes(clique))

    def _check(self, clique: Clique) -> None:
        if not clique or any(name not in self._domain for name in clique):
            raise Refusal(Code.QUESTION_INVALID)
        if self._domain.clique(clique) != clique:
            raise Refusal(Code.QUESTION_INVALID)

    def _check_score(self, score: Score) -> None:
        if not score.cliques:
            raise Refusal(Code.QUESTION_INVALID)
        for clique in score.cliques:
            self._check(clique)
        if not score.fits(self._domain):
            raise Refusal(Code.QUESTION_INVALID)

    def _prices(self, rhos: Sequence[float]) -> tuple[int, ...]:
        """What questions at these prices cost in units."""
        if not all(rho >= 0 and math.isfinite(rho * UNITS_PER_RHO) for rho in rhos):
            raise Refusal(Code.QUESTION_INVALID)
        return self._account.prices(rhos)


def _integers(blob: bytes) -> NDArray[np.int64]:
    """Stored integers, in the memory they came in."""
    return np.frombuffer(blob, dtype="<i8").astype(np.int64, copy=False)


def _told(groups: Mapping[str, tuple[int, ...]]) -> dict[str, Any]:
    """Groups as a part of a question; nothing where there are none."""
    return {"groups": {name: list(group_of) for name, group_of in groups.items()}} if groups else {}


class Room:
    """A private table with its run in the ledger: hands out sources, each with its own share.

    `is_gaussian` says how the run was reserved; the ledger refuses the questions of a room that is mistaken.
    """

    def __init__(
        self,
        table: PrivateTable,
        schema: Schema,
        ledger: Ledger,
        run: str,
        *,
        is_gaussian: bool = False,
        entropy: Entropy = OS_ENTROPY,
    ) -> None:
        self._table, self._ledger, self._run, self._entropy = table, ledger, run, entropy
        self._is_gaussian, self.schema = is_gaussian, schema

    def __repr__(self) -> str:
        return f"Room(run={self._run!r})"

    @property
    def sensitivity(self) -> Sensitivity:
        """How far one unit of protection moves a vector of counts, by the schema."""
        return Sensitivity(rows=self.schema.unit.max_rows, neighbours=self.schema.neighbours)

    def account(self, part: str, units: int) -> Account:
        """A share of the run's reservation under a name of its own."""
        return Account(
            self._ledger,
            self._run,
            part=part,
            units=units,
            population=self.schema.population,
            is_gaussian=self._is_gaussian,
        )

    def source(
        self, axes: Sequence[Axis], account: Account, *, groupings: Sequence[Grouping] = ()
    ) -> PrivateSource:
        """The table as codes of these axes, coarsened by groupings, behind the three questions."""
        codes = self._table.codes(axes)
        if groupings:
            codes = codes.grouped(groupings)
        return PrivateSource(
            codes,
            domain_of(axes, groupings),
            account,
            schema=self.schema,
            entropy=self._entropy,
        )

    def ask(self, question: Question, account: Account, *, delta_units: int = 0) -> bytes:
        """One of the questions that come before the mechanism (see `measure.questions`).

        Raises: `Refusal(QUESTION_INVALID)` for a price or another number that no question can have.
        """
        try:
            facts = question.facts()
        except (ValueError, ArithmeticError):
            facts = None
        if facts is None or not question.units > 0:
            raise Refusal(Code.QUESTION_INVALID)
        ask = Ask(
            question=facts,
            units=question.units,
            answer=lambda: question.answer(self._table, entropy=self._entropy),
            delta_units=delta_units,
        )
        return account.ask_all([ask])[0]
