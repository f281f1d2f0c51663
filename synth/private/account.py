"""Charge queries to a share of a run's reservation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from synth.core.accounting import ZCDP, Law
from synth.core.errors import BudgetRefused, Code, Refusal
from synth.private.ledger import Ask, Charged, Ledger
from synth.private.sealed import sealed
from synth.private.terms import Allowance


class AccountLike(Protocol):
    """An interface for charging queries, such as an `Account`."""

    part: str
    step: int
    law: Law

    @property
    def allowance(self) -> Allowance: ...

    @property
    def ahead(self) -> Sequence[Charged]:
        """Return the already charged queries from `step` onwards, which the run repeats."""
        ...

    def ask_all(self, asks: Sequence[Ask]) -> tuple[bytes, ...]:
        """Charge all queries, then answer them."""
        ...


class Account:
    """One part's share of a run's reservation. It never charges more than this share.

    `law`: the accounting rule of the reservation, which queries must name. If `resumes` is true, the run
    first repeats the queries that it was already charged for (`private.resume`). If it is false, these
    queries can only be repeated exactly, and any other query is refused.
    """

    def __init__(
        self,
        ledger: Ledger,
        run: str,
        *,
        part: str,
        units: int,
        population: str,
        law: Law = ZCDP,
        resumes: bool = False,
    ) -> None:
        self._ledger, self._run, self._population = ledger, run, population
        self.part, self.units, self.spent, self.step = part, units, 0, 0
        self.law = law
        self._charged = ledger.charges(run, part) if resumes else ()

    @property
    def left(self) -> int:
        """Return the units that are not yet spent."""
        return self.units - self.spent

    @property
    def ahead(self) -> Sequence[Charged]:
        return self._charged[self.step :]

    @property
    def allowance(self) -> Allowance:
        return Allowance(self.left, tuple(charged.units for charged in self.ahead))

    def ask_all(self, asks: Sequence[Ask]) -> tuple[bytes, ...]:
        """Charge all queries, then answer and store them, or replay stored answers.

        Raises: `BudgetRefused` if the share does not cover the costs (nothing is charged); `Refusal`, without
        a cause, for any other error.
        """
        if any(ask.units <= 0 for ask in asks):
            raise Refusal(Code.QUERY_INVALID)
        whole = sum(ask.units for ask in asks)
        if whole > self.left:
            raise BudgetRefused(self._population, requested=whole, left=self.left)
        guarded = [replace(ask, answer=sealed()(ask.answer)) for ask in asks]
        stored = self._ledger.ask_all(self._run, part=self.part, step=self.step, asks=guarded)
        self.spent += whole
        self.step += len(asks)
        return stored
