"""The ledger: what was promised, reserved, asked and answered, and the only door to the rows.

An SQLite file (local disk, no network share) in which `ledger.rules` forbids overspending. Questions whose
prices are fixed beforehand may be asked as a batch; one question is a batch of one. The order is fixed: the
charges of the whole batch are committed to disk together, then the rows are looked at, then the noisy answers
are committed to disk (together, or in portions if they are large or take long), and only when all of them are
there are the stored bytes handed out. Every question keeps a charge and an answer of its own. A process that
dies in between leaves charges without answers; nothing left the room then, so these questions are answered
again under the same charges. A charge is never refunded. Everything recorded is public.

Units: integers, 1e-12 rho (`units`) and 1e-18 delta (`delta_units`, for lists bought with a threshold). For a
Gaussian answer rho is mu^2 / 2; a run reserved for such answers only may lean on the exact curve of GDP.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from synth.errors import Code, Mistake, Refusal
from synth.measure.accounting import Limit
from synth.measure.ledger import entries
from synth.measure.ledger.door import Ask, Batch, check_cover
from synth.measure.ledger.entries import Run, Stored
from synth.measure.ledger.file import (
    BRIEF,
    LOOK_SECONDS,
    Patience,
    check_disk,
    is_busy,
    let_go,
    make_private,
    prepare,
)
from synth.measure.ledger.limits import Balance, balance_of, check_limit, limit_of, terms_of
from synth.measure.ledger.rules import GAUSSIAN, LARGEST, TERMS

DEFAULT_LIFETIME = (10.0, 1e-9)
"""(epsilon, delta) offered as the lifetime limit of a population that has no line yet."""
DEFAULT_DELTA_UNITS = 10**9
"""Lifetime delta for bought lists: 1e-9."""


class Ledger:
    """An open ledger file, made if there is none. Threads may share it; a forked process must open its own.

    Raises: `Mistake` for a file on a network disk; in every method `Refusal(LEDGER_BUSY)` if others write in
    it for longer than `patience` waits, and `Refusal(LEDGER_UNAVAILABLE)` for whatever else SQLite has to
    complain about.
    """

    def __init__(self, path: Path, *, patience: Patience = BRIEF) -> None:
        self.path, self._patience = Path(path), patience
        self._lock, self._process = threading.RLock(), os.getpid()
        check_disk(self.path)
        try:
            make_private(self.path)
            self._db = sqlite3.connect(
                self.path, timeout=LOOK_SECONDS, isolation_level=None, check_same_thread=False
            )
            self.close = weakref.finalize(self, let_go, self._db, self._process)
            """Let go of the file; done anyway when the object is no longer used."""
            prepare(self._db, patience)
        except (sqlite3.Error, OSError) as error:
            raise Refusal(_code_of(error)) from None

    @contextmanager
    def _turn(self, mode: Literal["DEFERRED", "IMMEDIATE"] = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
        """One transaction: all of it on disk at the end, or nothing."""
        if os.getpid() != self._process:
            raise Refusal(Code.LEDGER_UNAVAILABLE)
        with self._lock:
            try:
                # a deferred turn begins with its first look into the file, so that this one waits for all
                self._patience.until_free(self._db, f"BEGIN {mode}", "SELECT count(*) FROM sqlite_schema")
                try:
                    yield self._db
                    self._db.execute("COMMIT")
                except BaseException:
                    if self._db.in_transaction:
                        self._db.execute("ROLLBACK")
                    raise
            except (sqlite3.Error, UnicodeError) as error:
                raise Refusal(_code_of(error)) from None

    def open_population(
        self,
        population: str,
        *,
        units: int | Limit,
        reason: str,
        delta_units: int = DEFAULT_DELTA_UNITS,
    ) -> None:
        """Open a budget line with a lifetime limit; the same call twice is one.

        A `Limit` with its promise gives Gaussian runs what is theirs; a number is the limit for all runs.
        Raises: `Mistake` if the line exists with another limit, or without a reason.
        """
        most, terms = terms_of(units)
        check_limit(population, most, delta_units, reason)
        with self._turn() as db:
            row = entries.find_one(db, "population", population=population)
            if row is None:
                entries.append(
                    db,
                    "population",
                    population,
                    units=most,
                    delta_units=delta_units,
                    text=reason,
                    terms=terms,
                )
            elif [row[c] for c in ("units", "delta_units", *TERMS[1:])] != [most, delta_units, *terms]:
                raise Mistake(
                    f"Population {population!r} has a budget line with another limit already. Raise that "
                    "limit with a reason (ledger raise) instead of opening the line again."
                )

    def raise_limit(
        self, population: str, units: int | Limit, reason: str, *, delta_units: int | None = None
    ) -> None:
        """Set a higher lifetime limit (`units` in all, not more by); it stays on record with its reason.

        A number raises every limit of the line by as much; a `Limit` sets each to its own.
        Raises: `Mistake` if the line does not exist, if nothing would be higher, or without a reason.
        """
        with self._turn() as db:
            balance, present = balance_of(db, population), limit_of(db, population)
            if present is None:
                raise _no_line(population)
            delta = balance.delta_limit if delta_units is None else delta_units
            most, terms = terms_of(units, more_than=present)
            check_limit(population, most, delta, reason)
            more, more_delta = most - present.units, delta - balance.delta_limit
            more_gaussian = more if terms[0] is None else terms[0]
            if min(more, more_delta, more_gaussian) < 0 or not any((more, more_delta, more_gaussian)):
                raise Mistake(f"The new limit of population {population!r} is not above the present one.")
            entries.append(
                db, "raise", population, units=more, delta_units=more_delta, text=reason, terms=terms
            )

    def open_run(
        self,
        population: str,
        run: str,
        *,
        units: int,
        delta_units: int = 0,
        label: str,
        is_gaussian: bool = False,
    ) -> None:
        """Reserve for a run, before any row is read; the same call twice is one.

        A run with `is_gaussian` may ask Gaussian questions only, and buy no lists.
        Raises: `BudgetRefused` if the line does not cover it; `Mistake` if there is no line;
        `Refusal(ANSWER_MISMATCH)` if the run exists with another reservation.
        """
        if not run or not 0 < units <= LARGEST or not 0 <= delta_units <= LARGEST:
            raise Refusal(Code.QUESTION_INVALID)
        if is_gaussian and delta_units:
            raise Refusal(Code.QUESTION_INVALID)
        asked = (population, units, delta_units, GAUSSIAN if is_gaussian else None)
        with self._turn() as db:
            known = entries.find_one(db, "run", run=run)
            if known is not None:
                if tuple(known[c] for c in ("population", "units", "delta_units", "law")) != asked:
                    raise Refusal(Code.ANSWER_MISMATCH)
                return
            balance = balance_of(db, population)
            if balance.limit is None:
                raise _no_line(population)
            left = balance.left_of(is_gaussian=is_gaussian)
            check_cover(population, units, left, delta_units, balance.delta_left)
            entries.append(
                db,
                "run",
                population,
                run=run,
                units=units,
                delta_units=delta_units,
                text=label,
                is_gaussian=is_gaussian,
            )

    def ask(
        self,
        run: str,
        *,
        part: str,
        step: int,
        question: Mapping[str, Any],
        units: int,
        answer: Callable[[], bytes],
        delta_units: int = 0,
    ) -> bytes:
        """A batch of one question; see `ask_all`."""
        ask = Ask(question=question, units=units, answer=answer, delta_units=delta_units)
        return self.ask_all(run, part=part, step=step, asks=[ask])[0]

    def ask_all(self, run: str, *, part: str, step: int, asks: Sequence[Ask]) -> tuple[bytes, ...]:
        """The one door. Charge the questions at `step` and after, then answer them, then store the answers;
        returns the stored bytes.

        A question of the run that has its answer is replayed for nothing, also after the close; one that was
        charged before is not charged again. When two processes ask the same at once, both get the answers
        that were stored first. Nothing is charged if anything is refused.
        Raises: `Refusal(ANSWER_MISMATCH)` if a (run, part, step) is another question or price,
        `Refusal(RUN_CLOSED)`, `BudgetRefused` if the new ones together are beyond the reservation, and
        whatever an `answer` raises: the charges then stay, and asking again answers under them.
        """
        batch = Batch(run, part, step, asks)
        if not asks:
            return ()
        with self._turn() as db:
            stored = batch.charge(db)
        for portion in batch.answered(stored):
            with self._turn() as db:
                batch.store(db, portion)
            with self._turn("DEFERRED") as db:
                stored |= batch.stored(db, portion)
        if len(stored) != len(asks):
            raise Refusal(Code.LEDGER_BROKEN)
        return tuple(stored[at] for at in batch.steps)

    def close_run(self, run: str) -> None:
        """End a run: frees what was never charged, and nothing else. Twice is once."""
        with self._turn() as db:
            opened = entries.find_one(db, "run", run=run)
            if opened is None:
                raise _no_run(run)
            if entries.find_one(db, "close", run=run) is None:
                spent, delta_spent = entries.spent_by(db, run)
                entries.append(
                    db,
                    "close",
                    opened["population"],
                    run=run,
                    units=opened["units"] - spent,
                    delta_units=opened["delta_units"] - delta_spent,
                    is_gaussian=opened["law"] == GAUSSIAN,
                )

    def populations(self) -> tuple[str, ...]:
        """Every population with a budget line, in the order they were opened."""
        with self._turn("DEFERRED") as db:
            return tuple(row["population"] for row in entries.find(db, "population"))

    def balance(self, population: str) -> Balance:
        """The budget line of a population."""
        with self._turn("DEFERRED") as db:
            return balance_of(db, population)

    def runs(self, population: str | None = None) -> tuple[Run, ...]:
        """All runs, or those of one population, oldest first."""
        with self._turn("DEFERRED") as db:
            found = (
                entries.find(db, "run")
                if population is None
                else entries.find(db, "run", population=population)
            )
            return tuple(entries.run_of(db, opened) for opened in found)

    def answers(self, run: str) -> tuple[Stored, ...]:
        """Every answered question of a run in the order asked."""
        with self._turn("DEFERRED") as db:
            return entries.answers_of(db, run)

    def receipt(self, run: str) -> dict[str, Any]:
        """What a release says about its run: prices by part, the population's state, and a link of the chain.

        It stands at the run's last entry, so later entries of other runs do not change it. Whoever keeps it
        can find out with `verify` whether the ledger was replaced by an older copy.
        """
        with self._turn("DEFERRED") as db:
            opened = entries.find_one(db, "run", run=run)
            if opened is None:
                raise _no_run(run)
            return entries.receipt_of(db, opened)

    def listing(self) -> list[dict[str, Any]]:
        """Every budget line with its limits and runs, as plain JSON: what the `ledger` command shows."""
        lines = []
        for population in self.populations():
            balance, runs = self.balance(population), self.runs(population)
            with self._turn("DEFERRED") as db:
                limits = [
                    {
                        "kind": row["kind"],
                        "date": row["at"],
                        "units": row["units"],
                        "delta_units": row["delta_units"],
                        "epsilon": row["epsilon"],
                        "delta": row["delta"],
                        "reason": row["text"],
                    }
                    for kind in ("population", "raise")
                    for row in entries.find(db, kind, population=population)
                ]
            lines.append(
                vars(balance)
                | {
                    "left": balance.left,
                    "delta_left": balance.delta_left,
                    "limits": limits,
                    "runs": [vars(run) for run in runs],
                }
            )
        return lines

    def verify(self, receipt: Mapping[str, Any] | None = None) -> bool:
        """Check the whole file: rules in place, chain, prices, answers; and that a receipt's link is in it.

        The entries are written anew into an empty ledger, so they must pass every rule again.
        Returns True, or raises `Refusal(LEDGER_BROKEN)`.
        """
        with self._turn("DEFERRED") as db:
            try:
                is_sound = entries.is_sound(db) and (receipt is None or entries.is_on_record(db, receipt))
            except (sqlite3.DatabaseError, TypeError, KeyError, ValueError, Mistake):
                is_sound = False
        if not is_sound:
            raise Refusal(Code.LEDGER_BROKEN)
        return True


def _code_of(error: Exception) -> Code:
    """Busy or broken."""
    return Code.LEDGER_BUSY if is_busy(error) else Code.LEDGER_UNAVAILABLE


def _no_line(population: str) -> Mistake:
    return Mistake(
        f"Population {population!r} has no budget line in this ledger. Open one with a lifetime limit and a "
        "reason first; if its name was mistyped, correct it, or one group of people gets two budgets."
    )


def _no_run(run: str) -> Mistake:
    return Mistake(f"This ledger has no run {run!r}. List its runs with the ledger command.")
