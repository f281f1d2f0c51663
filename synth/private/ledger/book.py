"""The ledger: guarantees, reservations, charges and results. All access to the rows is charged here first.

The ledger is an SQLite file on a local disk, in which `ledger.rules` prevents overspending. Queries whose
costs are known in advance can be made as a batch. The order of steps is fixed. First, the charges of the
whole batch are committed to disk together. Then, the rows are read. Then, the results with noise are
committed to disk, in portions if they are large or take long. The stored bytes are returned only when all of
them are stored. Each query has a separate charge and result. A process that ends early leaves charges without
results. Nothing was released in this case, so these queries are answered again under the same charges. A
charge is never refunded. Everything in the ledger is public, except the key and the times of day.

Amounts are integers, in units of 1e-12 rho (`units`) and 1e-18 delta (`delta_units`, for value lists with a
threshold). For a Gaussian query, rho is mu^2 / 2; a run of such queries may use the exact curve of GDP.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from synth.core.accounting import DEFAULT_DELTA_UNITS, MIXED, ZCDP, Law, Limit, Price, law_named
from synth.core.errors import Code, Mistake, Refusal
from synth.core.schema import ProtectedChange
from synth.private.ledger import entries
from synth.private.ledger.balance import Balance
from synth.private.ledger.batch import Ask, Batch
from synth.private.ledger.blobs import Blobs
from synth.private.ledger.entries import Charged, Run, Stored
from synth.private.ledger.file import (
    BRIEF,
    LOOK_SECONDS,
    Patience,
    check_disk,
    is_busy,
    let_go,
    make_private,
    prepare,
)
from synth.private.ledger.guarantees import (
    change_of,
    check_covers,
    check_fresh,
    folded,
    known_as,
    no_line,
    protected_by,
)
from synth.private.ledger.limits import (
    balance_of,
    check_limit,
    laws_of,
    limit_entries,
    limit_of,
    terms_of,
)
from synth.private.ledger.population import check_name
from synth.private.ledger.rules import LARGEST, TERMS


class Ledger:
    """An open ledger file, which is created if it does not exist.

    Threads can share a `Ledger`, but a forked process must open a new one.

    Raises: `Mistake` for a file on a network disk. Every method raises `Refusal(LEDGER_BUSY)` if other
    processes write to the file for longer than `patience` allows, and `Refusal(LEDGER_UNAVAILABLE)` for any
    other SQLite error.
    """

    def __init__(self, path: Path, *, patience: Patience = BRIEF) -> None:
        self.path, self._patience = Path(path), patience
        self._blobs = Blobs(self.path.resolve())  # as SQLite's log, beside the file and not beside a link
        self._lock, self._process = threading.RLock(), os.getpid()
        check_disk(self.path)
        try:
            make_private(self.path)
            self._db = sqlite3.connect(
                self.path, timeout=LOOK_SECONDS, isolation_level=None, check_same_thread=False
            )
            self.close = weakref.finalize(self, let_go, self._db, self._process)
            """Close the file. This also happens when the object is no longer used."""
            prepare(self._db, patience)
        except (sqlite3.Error, OSError) as error:
            raise Refusal(_code_of(error)) from None

    @contextmanager
    def _turn(self, mode: Literal["DEFERRED", "IMMEDIATE"] = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
        """Run one transaction. At the end, either all of it is on disk or none of it."""
        if os.getpid() != self._process:
            raise Refusal(Code.LEDGER_UNAVAILABLE)
        with self._lock:
            try:
                # a deferred transaction begins with its first read, so this read waits for all writers
                self._patience.until_free(self._db, f"BEGIN {mode}", "SELECT count(*) FROM sqlite_schema")
                try:
                    yield self._db
                    self._db.execute("COMMIT")
                except BaseException:
                    if self._db.in_transaction:
                        self._db.execute("ROLLBACK")
                    raise
            except (sqlite3.Error, OSError, UnicodeError, OverflowError) as error:
                raise Refusal(_code_of(error)) from None

    def open_population(
        self,
        population: str,
        *,
        units: int | Limit,
        protects: ProtectedChange,
        reason: str,
        delta_units: int | None = None,
    ) -> None:
        """Open the lifetime budget of a population with a limit; repeating the call has no further effect.

        A `Limit` with a guarantee sets a separate limit for Gaussian runs; a number is the limit for all
        runs. By default, value lists may use the `delta_units` of the limit. A budget is found under any
        spelling of its name (`population.fold`). Raises: `Mistake` if the budget exists with a different
        limit or protects a different change, if its name looks like another name, or if there is no reason.
        """
        most, terms = terms_of(units)
        own = units.delta_units if isinstance(units, Limit) else DEFAULT_DELTA_UNITS
        lists = own if delta_units is None else delta_units
        check_limit(population, most, lists, reason)
        with self._turn() as db:
            name = known_as(db, population)
            row = entries.find_one(db, "population", population=name)
            if row is None:
                check_fresh(db, population)
                entries.append(
                    db,
                    "population",
                    population.strip(),
                    units=most,
                    delta_units=lists,
                    text=reason,
                    terms=terms,
                    protects=folded(replace(protects, is_capped=False)),
                )
                return
            if [row[c] for c in ("units", "delta_units", *TERMS[1:])] != [most, lists, *terms]:
                raise Mistake(
                    f"Population {name!r} already has a lifetime budget with another limit. Raise that "
                    "limit with a reason (ledger raise) instead."
                )
            check_covers(name, protected_by(db, name), protects)

    def check_population(self, population: str, protects: ProtectedChange) -> Balance:
        """Return the lifetime budget for a release with this protected change.

        Raises: `Mistake` if the release could not be charged because the budget protects a different change,
        or because no budget could be opened under this name.
        """
        with self._turn("DEFERRED") as db:
            balance = balance_of(db, known_as(db, population))
            if balance.limits is None:
                check_name(population)
                check_fresh(db, population)
            else:
                balance.check(protects)
            return balance

    def declare(self, population: str, protects: ProtectedChange, reason: str) -> None:
        """Declare the change that a lifetime budget protects.

        This is possible if it is not declared yet, or if nothing is committed.

        For a budget of an older ledger, this confirms that all its releases protected this change. If they
        did not, they have no common guarantee: a release that protects one unit with k_i rows costs k_i^2
        times as much (group privacy), and such a ledger does not contain k_i. Raises: `Mistake` if there is
        no budget, if it protects a different change and was used, or if there is no reason.
        """
        with self._turn() as db:
            name, fields = known_as(db, population), folded(replace(protects, is_capped=False))
            balance = balance_of(db, name)
            if balance.limit is None:
                raise no_line(name)
            if balance.protects == fields:
                return
            if balance.protects is not None and balance.is_committed:
                raise Mistake(
                    f"The privacy unit of population {name!r} is {balance.protects}. It cannot be changed, "
                    "because releases are charged to its lifetime budget."
                )
            if not reason.strip():
                raise Mistake(
                    f"Give a reason for the privacy unit of population {name!r}. The reason is stored."
                )
            entries.append(db, "declare", name, text=reason, protects=fields)

    def raise_limit(
        self, population: str, units: int | Limit, reason: str, *, delta_units: int | None = None
    ) -> None:
        """Set a higher lifetime limit (`units` in total); it is recorded with its reason.

        If a query was made before, the earlier guarantee ends (`guarantees`), and the balance and every later
        receipt state this. A number raises every limit by the same amount. A `Limit` sets each of its limits,
        and the delta for value lists if the new one is larger. `delta_units` sets it directly. Raises:
        `Mistake` if the budget does not exist, if no limit would be higher or one would be lower, or if there
        is no reason.
        """
        with self._turn() as db:
            population = known_as(db, population)
            balance, present = balance_of(db, population), limit_of(db, population)
            if present is None:
                raise no_line(population)
            own = units.delta_units if isinstance(units, Limit) else 0
            delta = max(balance.delta_limit, own) if delta_units is None else delta_units
            if isinstance(units, Limit) and units.promise is not None:
                for law in laws_of(db, population):
                    balance.check_delta(law, units.promise[1])
            most, terms = terms_of(units, more_than=present)
            check_limit(population, most, delta, reason)
            more, more_delta = most - present.units, delta - balance.delta_limit
            more_gaussian, more_mixed = (more if term is None else term for term in terms[:2])
            least = balance.committed if balance.law == MIXED else 0
            if balance.promise is not None:  # a number was one limit for all kinds
                least = present.mixed_units
            is_lower = min(more, more_delta, more_gaussian) < 0 or present.mixed_units + more_mixed < least
            if is_lower or not any((more, more_delta, more_gaussian)):
                raise Mistake(f"The new limit of population {population!r} is not above the current one.")
            entries.append(
                db, "raise", population, units=more, delta_units=more_delta, text=reason, terms=terms
            )

    def open_run(
        self,
        population: str,
        run: str,
        *,
        units: int,
        protects: ProtectedChange,
        delta_units: int = 0,
        label: str,
        law: Law = ZCDP,
        is_first: bool = False,
    ) -> None:
        """Reserve budget for a run before any row is read; repeating the call has no further effect.

        `is_first`: the people of the run are declared to be new, so it must be the first of its population. A
        run may make only the queries that its accounting rule allows, value lists included. Raises:
        `BudgetRefused` if the lifetime budget does not cover the run; `Mistake` if there is no lifetime
        budget, if the budget already has a run although `is_first` is true, or if it protects a different
        change; `Refusal(ANSWER_MISMATCH)` if the run exists with a different reservation. (A run of an older
        ledger does not state its protected change. After its budget has declared one, the run can continue
        only with this change.)
        """
        if not run or not 0 < units <= LARGEST or not 0 <= delta_units <= LARGEST:
            raise Refusal(Code.QUERY_INVALID)
        if not law.is_of_runs or (delta_units and not law.allows("values")):
            raise Refusal(Code.QUERY_INVALID)
        with self._turn() as db:
            population = known_as(db, population)
            known = entries.find_one(db, "run", run=run)
            if known is not None:
                requested = (population, units, delta_units, law.written)
                same = tuple(known[c] for c in ("population", "units", "delta_units", "law")) == requested
                if not same or change_of(known) not in (None, folded(protects)):
                    raise Refusal(Code.ANSWER_MISMATCH)
                line = protected_by(db, population)
                if change_of(known) is None and line is not None:
                    check_covers(population, line, protects)
                return
            balance = balance_of(db, population)
            balance.check(protects)
            if is_first:
                balance.check_unused()
            balance.check_cover(Price(units=units, delta_units=delta_units, law=law))
            entries.append(
                db,
                "run",
                population,
                run=run,
                units=units,
                delta_units=delta_units,
                text=label,
                law=law,
                protects=folded(protects),
            )

    def ask(
        self,
        run: str,
        *,
        part: str,
        step: int,
        query: Mapping[str, Any],
        units: int,
        answer: Callable[[], bytes],
        delta_units: int = 0,
    ) -> bytes:
        """Make a single query; see `ask_all`."""
        ask = Ask(query=query, units=units, answer=answer, delta_units=delta_units)
        return self.ask_all(run, part=part, step=step, asks=[ask])[0]

    def ask_all(self, run: str, *, part: str, step: int, asks: Sequence[Ask]) -> tuple[bytes, ...]:
        """Charge the queries from `step` on, answer them, store the results, and return the stored bytes.

        A query that already has a result in this run is replayed without a charge, even after the run is
        closed. A query that was already charged is not charged again. If two processes make the same queries
        at the same time, both get the results that were stored first. Nothing is charged if anything is
        refused.

        Raises: `Refusal(ANSWER_MISMATCH)` if a (run, part, step) has a different query or cost;
        `Refusal(RUN_CLOSED)`; `BudgetRefused` if the new queries together exceed the reservation; and any
        exception of an `answer` function. After such an exception, the charges remain, and repeated queries
        are answered under the same charges.
        """
        batch = Batch(run, part, step, asks, blobs=self._blobs)
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

    def charges(self, run: str, part: str) -> tuple[Charged, ...]:
        """Return the charges of one part of a run so far, in the order of its steps."""
        with self._turn("DEFERRED") as db:
            return entries.charged_by(db, run, part, blobs=self._blobs)

    def close_run(self, run: str) -> None:
        """Close a run and release the part of its reservation that was never charged.

        A second call has no effect.
        """
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
                    law=law_named(opened["law"]),
                )

    def populations(self) -> tuple[str, ...]:
        """Return every population with a lifetime budget, in the order in which the budgets were opened."""
        with self._turn("DEFERRED") as db:
            return tuple(row["population"] for row in entries.find(db, "population"))

    def balance(self, population: str) -> Balance:
        """Return the lifetime budget of a population."""
        with self._turn("DEFERRED") as db:
            return balance_of(db, known_as(db, population))

    def runs(self, population: str | None = None) -> tuple[Run, ...]:
        """Return all runs, or the runs of one population, oldest first."""
        with self._turn("DEFERRED") as db:
            found = (
                entries.find(db, "run")
                if population is None
                else entries.find(db, "run", population=known_as(db, population))
            )
            return tuple(entries.run_of(db, opened) for opened in found)

    def answers(self, run: str) -> tuple[Stored, ...]:
        """Return all answered queries of a run, in the order of their charges."""
        with self._turn("DEFERRED") as db:
            return entries.answers_of(db, run, blobs=self._blobs)

    def receipt(self, run: str) -> dict[str, Any]:
        """Return the receipt of a run: the costs by part, the state of the population, and a link to the
        chain.

        It refers to the run's last entry, so later entries of other runs do not change it. With a receipt,
        `verify` detects whether the ledger was replaced by an older copy.
        """
        with self._turn("DEFERRED") as db:
            opened = entries.find_one(db, "run", run=run)
            if opened is None:
                raise _no_run(run)
            return entries.receipt_of(db, opened)

    def listing(self) -> list[dict[str, Any]]:
        """Return all lifetime budgets with their limits and runs, as plain JSON. This is the output of
        `ledger`.
        """
        lines = []
        for population in self.populations():
            balance, runs = self.balance(population), self.runs(population)
            with self._turn("DEFERRED") as db:
                limits = limit_entries(db, population)
            lines.append(balance.facts() | {"limits": limits, "runs": [run.facts() for run in runs]})
        return lines

    def verify(self, receipt: Mapping[str, Any] | None = None) -> bool:
        """Check the whole file: its rules, chain, costs and results, and the link of a receipt if one is
        given.

        The entries are written again into an empty ledger, so they must pass every rule again. Returns True,
        or raises `Refusal(LEDGER_BROKEN)`.
        """
        with self._turn("DEFERRED") as db:
            try:
                is_sound = entries.is_sound(db, blobs=self._blobs) and (
                    receipt is None or entries.is_on_record(db, receipt)
                )
            except (sqlite3.DatabaseError, TypeError, KeyError, ValueError, OverflowError, Mistake):
                is_sound = False
        if not is_sound:
            raise Refusal(Code.LEDGER_BROKEN)
        return True


def _code_of(error: Exception) -> Code:
    """Return LEDGER_BUSY or LEDGER_UNAVAILABLE for an SQLite error."""
    return Code.LEDGER_BUSY if is_busy(error) else Code.LEDGER_UNAVAILABLE


def _no_run(run: str) -> Mistake:
    return Mistake(f"This ledger has no run {run!r}. List its runs with the ledger command.")
