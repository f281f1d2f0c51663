"""Ledgers of tests: opened with a run, changed past the rules, or none at all."""

import random
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from synth.core.accounting import ZCDP, Law, Limit
from synth.core.schema import ProtectedChange
from synth.private.ledger import Ask, Ledger
from synth.private.terms import Allowance

PERSON = ProtectedChange(max_rows=1)


def opened(
    path: Path,
    line: int | Limit,
    *,
    run: int = 0,
    delta: int | None = None,
    run_delta: int = 0,
    law: Law = ZCDP,
) -> Ledger:
    """Population "p" has so many units for its lifetime; of them run "r" reserves some, if it has any."""
    ledger = Ledger(path)
    ledger.open_population("p", units=line, delta_units=delta, reason="test", protects=PERSON)
    if run:
        ledger.open_run("p", "r", units=run, delta_units=run_delta, label="first", law=law, protects=PERSON)
    return ledger


def tamper(path: Path, *statements: str) -> None:
    """Change the file the way somebody with a database tool would, rules taken off and put back."""
    with closing(sqlite3.connect(path)) as db:
        triggers = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            db.execute(f'DROP TRIGGER "{name}"')
        for statement in statements:
            db.execute(statement)
        for _, sql in triggers:
            db.execute(sql)
        db.commit()


ANSWERS = "SELECT count(*) FROM answer JOIN entry USING (seq) WHERE ? IN (run, '')"


@contextmanager
def halfway(path: Path, answers: int, *, run: str = "") -> Iterator[sqlite3.Connection]:
    """Hold a ledger's write lock from the moment it has that many answers of a run, or of any.

    The lock is ours most of the time before, too, so a worker on a busy machine cannot outrun us; while we
    hold it, it waits in the middle of its run and holds no lock itself.
    """
    deadline = time.monotonic() + 600
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    with closing(sqlite3.connect(path, timeout=600, isolation_level=None)) as db:
        while True:
            db.execute("BEGIN IMMEDIATE")
            is_made = db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'answer'").fetchone()
            if is_made and db.execute(ANSWERS, (run,)).fetchone()[0] >= answers:
                break
            db.execute("ROLLBACK")
            assert time.monotonic() < deadline
            time.sleep(random.random() * 0.004)
        yield db
        if db.in_transaction:
            db.execute("ROLLBACK")


class Free:
    """An account that pays for everything and stores nothing."""

    part, step, allowance, ahead = "m", 0, Allowance(10**18), ()

    def __init__(self, law: Law = ZCDP) -> None:
        self.law = law

    def ask_all(self, asks: Sequence[Ask]) -> tuple[bytes, ...]:
        return tuple(ask.answer() for ask in asks)
