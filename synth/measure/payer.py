"""Who pays for questions: shares of a run's reservation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from synth.errors import BudgetRefused, Code, Refusal
from synth.measure.accounting import units_of
from synth.measure.ledger import Ask, Ledger
from synth.sealed import sealed


class Payer(Protocol):
    """Who pays for questions and hands out their answers: an `Account`, or the tape of `measure.replay`."""

    part: str
    step: int
    is_gaussian: bool

    @property
    def left(self) -> int: ...

    def prices(self, rhos: Sequence[float]) -> tuple[int, ...]:
        """What questions cost in units that are asked one after the other at these prices."""
        ...

    def ask_all(self, asks: Sequence[Ask]) -> tuple[bytes, ...]:
        """Pay for all questions, then answer them."""
        ...


class Account:
    """One part's share of a run's reservation; it can never ask for more than its share.

    `is_gaussian`: the run was reserved for Gaussian answers only, and questions must say so.
    """

    def __init__(
        self,
        ledger: Ledger,
        run: str,
        *,
        part: str,
        units: int,
        population: str,
        is_gaussian: bool = False,
    ) -> None:
        self._ledger, self._run, self._population = ledger, run, population
        self.part, self.units, self.spent, self.step = part, units, 0, 0
        self.is_gaussian = is_gaussian

    @property
    def left(self) -> int:
        return self.units - self.spent

    def prices(self, rhos: Sequence[float]) -> tuple[int, ...]:
        """Prices in units, one after the other; the last dust of the share may be asked for by its float
        value."""
        found, left = [], self.left
        for rho in rhos:
            units = units_of(rho)
            is_rest = 0 <= left - units <= 1 or 0 < units - left <= 2
            found.append(left if is_rest else units)
            left -= found[-1]
        return tuple(found)

    def ask_all(self, asks: Sequence[Ask]) -> tuple[bytes, ...]:
        """Charge all, then answer, then store; or replay.

        Raises: `BudgetRefused` if the share does not cover the prices, and nothing is charged; `Refusal`
        otherwise, never a cause.
        """
        if any(ask.units <= 0 for ask in asks):
            raise Refusal(Code.QUESTION_INVALID)
        whole = sum(ask.units for ask in asks)
        if whole > self.left:
            raise BudgetRefused(self._population, requested=whole, left=self.left)
        guarded = [replace(ask, answer=sealed()(ask.answer)) for ask in asks]
        stored = self._ledger.ask_all(self._run, part=self.part, step=self.step, asks=guarded)
        self.spent += whole
        self.step += len(asks)
        return stored
