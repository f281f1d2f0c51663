"""Answer queries from a transcript, without a table.

A mechanism that asks the transcript's queries in the transcript's order gets the stored answers, needs no
table and spends nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from synth.core.accounting import law_named, units_of
from synth.core.domain import Domain
from synth.core.errors import Code, Refusal
from synth.core.schema import Schema
from synth.private.ledger import Ask, Charged
from synth.private.session import PrivateSource
from synth.private.terms import Allowance


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One stored answer: the query in public words, its cost (units of 1e-12 rho), the bytes."""

    part: str
    query: dict[str, Any]
    units: int
    answer: bytes


@dataclass(frozen=True)
class TapeAllowance(Allowance):
    """The remaining budget of a transcript: costs are the stored ones if those requested differ only by
    rounding.
    """

    def prices(self, rhos: Sequence[float]) -> tuple[int, ...]:
        wanted = [units_of(rho) for rho in rhos]
        known = [*self.charged[: len(wanted)], *wanted[len(self.charged) :]]
        return tuple(
            stored if abs(stored - units) <= max(2, stored // 10**9) else units
            for stored, units in zip(known, wanted, strict=True)
        )


class Tape:
    """Replay one part of a transcript, in order, and refuse any other query."""

    ahead: Sequence[Charged] = ()

    def __init__(self, entries: Sequence[Entry], *, part: str) -> None:
        self._entries = [e for e in entries if e.part == part]
        self.part, self.step = part, 0
        self.law = law_named(next((e.query["law"] for e in self._entries if "law" in e.query), None))

    @property
    def allowance(self) -> Allowance:
        prices = tuple(entry.units for entry in self._entries[self.step :])
        return TapeAllowance(sum(prices), prices)

    def ask_all(self, asks: Sequence[Ask]) -> tuple[bytes, ...]:
        """Return the stored answers. Raises: `Refusal(ANSWER_MISMATCH)` for any other query or cost."""
        entries = self._entries[self.step : self.step + len(asks)]
        if [(entry.query, entry.units) for entry in entries] != [(a.query, a.units) for a in asks]:
            raise Refusal(Code.ANSWER_MISMATCH)
        self.step += len(entries)
        return tuple(entry.answer for entry in entries)


def replay(entries: Sequence[Entry], domain: Domain, *, part: str, schema: Schema) -> PrivateSource:
    """Return a source that answers one part of a run from its transcript."""
    return PrivateSource(None, domain, Tape(entries, part=part), schema=schema)
