"""A source without a table: the same questions, answered from a transcript.

Answers that were paid for may be looked at for ever. A mechanism that asks the transcript's questions in the
transcript's order gets the transcript's answers, needs no table and spends nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from synth.domain import Domain
from synth.errors import Code, Refusal
from synth.measure.accounting import units_of
from synth.measure.ledger import Ask
from synth.measure.ledger.rules import GAUSSIAN
from synth.measure.room import PrivateSource
from synth.schema import Schema


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One stored answer: the question in public words, its price (units of 1e-12 rho), the bytes."""

    part: str
    question: dict[str, Any]
    units: int
    answer: bytes


class Tape:
    """Plays one part of a transcript back, in order, and refuses any other question."""

    def __init__(self, entries: Sequence[Entry], *, part: str) -> None:
        self._entries = [e for e in entries if e.part == part]
        self.part, self.step = part, 0
        self._total = sum(e.units for e in self._entries)
        self._spent = 0
        self.is_gaussian = any(e.question.get("law") == GAUSSIAN for e in self._entries)

    @property
    def left(self) -> int:
        return self._total - self._spent

    def prices(self, rhos: Sequence[float]) -> tuple[int, ...]:
        """The stored prices, where they are those asked for but for rounding."""
        found = []
        for step, rho in enumerate(rhos, start=self.step):
            units = units_of(rho)
            stored = self._entries[step].units if step < len(self._entries) else 0
            found.append(stored if abs(stored - units) <= max(2, stored // 10**9) else units)
        return tuple(found)

    def ask_all(self, asks: Sequence[Ask]) -> tuple[bytes, ...]:
        entries = self._entries[self.step : self.step + len(asks)]
        told = [(entry.question, entry.units) for entry in entries]
        if told != [(ask.question, ask.units) for ask in asks]:
            raise Refusal(Code.ANSWER_MISMATCH)
        self.step += len(entries)
        self._spent += sum(entry.units for entry in entries)
        return tuple(entry.answer for entry in entries)


def replay(entries: Sequence[Entry], domain: Domain, *, part: str, schema: Schema) -> PrivateSource:
    """A source that answers one part of a run from its transcript."""
    return PrivateSource(None, domain, Tape(entries, part=part), schema=schema)
