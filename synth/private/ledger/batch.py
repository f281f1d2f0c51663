"""Charge a batch of queries together, answer them, and store the results.

`book.Ledger` manages the transactions. The functions that take a connection run inside a transaction.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from synth.core.accounting import Law, law_named
from synth.core.errors import BudgetRefused, Code, Refusal
from synth.private.ledger import entries
from synth.private.ledger.blobs import LARGEST_INSIDE, Blobs
from synth.private.ledger.entries import answer_name, canonical, digest_of, state_name
from synth.private.ledger.rules import LARGEST

HELD_BYTES = 1 << 26
"""Size of the pending results, in bytes, at which they are stored. It is 64 MB, so that storing them needs
little more memory.
"""

HELD_SECONDS = 1.0
"""Maximum time in seconds before results are stored. A killed process loses at most this much work."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Ask:
    """A query as plain facts, with its cost (units of 1e-12 rho and 1e-18 delta) and the function that
    answers it.

    `state` contains public numbers of the query, of which the facts contain only a digest. They are stored
    beside the ledger.
    """

    query: Mapping[str, Any]
    units: int
    answer: Callable[[], bytes]
    delta_units: int = 0
    state: bytes = b""


class Batch:
    """Queries of one part of a run at consecutive steps.

    Raises: `Refusal(QUERY_INVALID)` if a step or cost is impossible, or if the facts are not plain JSON.
    """

    def __init__(self, run: str, part: str, step: int, asks: Sequence[Ask], *, blobs: Blobs) -> None:
        self._blobs = blobs
        self._run, self._part, self.steps = run, part, range(step, step + len(asks))
        self._asks = dict(zip(self.steps, asks, strict=True))
        self._texts = {at: canonical(ask.query) for at, ask in self._asks.items()}
        for at, ask in self._asks.items():
            price = (ask.units, ask.delta_units)
            if not 0 <= at <= LARGEST or not all(0 <= u <= LARGEST for u in price) or ask.units == 0:
                raise Refusal(Code.QUERY_INVALID)

    def charge(self, db: sqlite3.Connection) -> dict[int, bytes]:
        """Charge all queries that are not charged yet, or none; return the stored results by step.

        Raises: as `book.Ledger.ask_all`.
        """
        opened = entries.find_one(db, "run", run=self._run)
        if opened is None:
            raise Refusal(Code.QUERY_INVALID)
        charged = entries.charges_at(db, self._run, self._part, self.steps)
        for at, row in charged.items():
            ask = self._asks[at]
            if (row["text"], row["units"], row["delta_units"]) != (
                self._texts[at],
                ask.units,
                ask.delta_units,
            ):
                raise Refusal(Code.ANSWER_MISMATCH)
        stored = self.stored(db, self.steps) if charged else {}
        if len(stored) == len(self.steps):
            return stored
        self._check_open(db)
        fresh = [at for at in self.steps if at not in charged]
        if fresh:
            self._check_prices(db, opened, fresh)
            charges = [self._charge_at(at) for at in fresh]
            for at, charge in zip(fresh, charges, strict=True):
                if state := self._asks[at].state:
                    self._blobs.write(state_name(charge["digest"]), state, is_durable=False)
            entries.append_all(db, "charge", opened["population"], self._run, charges)
        return stored

    def answered(self, stored: Collection[int]) -> Iterator[dict[int, bytes]]:
        """Answer the queries without a stored result, and yield the results by step.

        They are yielded in portions, each of which is stored before the next one. Raises: the errors of
        `answer` functions.
        """
        portion: dict[int, bytes] = {}
        held, began = 0, time.monotonic()
        for at in [at for at in self.steps if at not in stored]:
            blob = self._asks[at].answer()
            if not isinstance(blob, bytes):
                raise Refusal(Code.INTERNAL)
            portion[at] = blob
            held += len(blob)
            if held >= HELD_BYTES or time.monotonic() - began >= HELD_SECONDS:
                yield portion
                portion, held, began = {}, 0, time.monotonic()
        if portion:
            yield portion

    def store(self, db: sqlite3.Connection, portion: Mapping[int, bytes]) -> None:
        """Store the results that are not stored yet."""
        first = self.stored(db, portion)
        fresh = [at for at in portion if at not in first]
        if not fresh:
            return
        self._check_open(db)
        charged = entries.charges_at(db, self._run, self._part, _span(portion))
        if any(at not in charged for at in fresh):
            raise Refusal(Code.LEDGER_BROKEN)
        digests = {at: digest_of(portion[at]) for at in fresh}
        for at in fresh:
            if len(portion[at]) > LARGEST_INSIDE:
                name = answer_name(self._run, self._part, at)
                self._blobs.write(name, portion[at], is_durable=True)
        answers = [{"part": self._part, "step": at, "digest": digest} for at, digest in digests.items()]
        numbers = entries.append_all(db, "answer", charged[fresh[0]]["population"], self._run, answers)
        inside = [
            (seq, portion[at])
            for seq, at in zip(numbers, fresh, strict=True)
            if len(portion[at]) <= LARGEST_INSIDE
        ]
        db.executemany("INSERT INTO answer (seq, blob) VALUES (?, ?)", inside)

    def stored(self, db: sqlite3.Connection, steps: Collection[int]) -> dict[int, bytes]:
        """Return the stored results at these steps."""
        answers = entries.answers_at(db, self._run, self._part, _span(steps), blobs=self._blobs)
        return {at: answers[at] for at in steps if at in answers}

    def _charge_at(self, at: int) -> dict[str, Any]:
        ask, text = self._asks[at], self._texts[at]
        return {
            "part": self._part,
            "step": at,
            "units": ask.units,
            "delta_units": ask.delta_units,
            "text": text,
            "digest": digest_of(text.encode()),
        }

    def _check_open(self, db: sqlite3.Connection) -> None:
        if entries.find_one(db, "close", run=self._run) is not None:
            raise Refusal(Code.RUN_CLOSED)

    def _check_prices(self, db: sqlite3.Connection, opened: sqlite3.Row, fresh: Sequence[int]) -> None:
        """Check that the run's accounting rule allows the new queries and its reservation covers them."""
        asks = [self._asks[at] for at in fresh]
        law = law_named(opened["law"])
        if not all(_is_allowed(law, ask.query) for ask in asks):
            raise Refusal(Code.QUERY_INVALID)
        spent, delta_spent = entries.spent_by(db, self._run)
        sums = [spent + units for units in accumulate(ask.units for ask in asks)]
        if not all(law.covers(ask.query, so_far) for ask, so_far in zip(asks, sums, strict=True)):
            raise Refusal(Code.QUERY_INVALID)
        units, left = sum(ask.units for ask in asks), opened["units"] - spent
        lists, delta_left = sum(ask.delta_units for ask in asks), opened["delta_units"] - delta_spent
        if units > left:
            raise BudgetRefused(opened["population"], requested=units, left=left)
        if lists > delta_left:
            raise BudgetRefused(opened["population"], requested=lists, left=delta_left, currency="delta")


def _is_allowed(law: Law, query: Mapping[str, Any]) -> bool:
    """Whether a run under this accounting rule may make this query.

    The database enforces the same check for laws with a name.
    """
    is_stated = law.written is None or query.get("law") == law.written
    return is_stated and law.allows(str(query.get("ask")))


def _span(steps: Collection[int]) -> range:
    return range(min(steps), max(steps) + 1)
