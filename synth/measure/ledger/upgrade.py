"""From an older ledger to the present rules, in one transaction; entries keep their hashes.

Version 1 knew no Gaussian runs: every run of it is one of any kind, and its lines have one limit for all. So
an old line gives a Gaussian run no more than any other, until it is raised with a promise.

Version 2 had no key: its receipts carry a link of the chain itself, and can still be checked. Its lines did
not say what they protect; they take no run until somebody declares it (`Ledger.declare`).
"""

from __future__ import annotations

import sqlite3

from synth.errors import Code, Refusal
from synth.measure.ledger.commitment import make_key
from synth.measure.ledger.rules import CHANGE, COLUMNS, STATEMENTS, TERMS

COLUMNS_BEFORE = {
    1: tuple(column for column in COLUMNS if column not in (*TERMS, *CHANGE)),
    2: tuple(column for column in COLUMNS if column not in CHANGE),
}
"""The columns of an entry in the versions that can be upgraded."""


def upgrade(db: sqlite3.Connection) -> None:
    """Write every entry anew under the present rules, within the caller's transaction.

    Raises: `Refusal(LEDGER_BROKEN)`, with the file as it was, if an old entry does not pass them.
    """
    columns = ", ".join(COLUMNS_BEFORE[db.execute("PRAGMA user_version").fetchone()[0]])
    for kind, name in db.execute("SELECT type, name FROM sqlite_schema WHERE sql NOT NULL").fetchall():
        if kind in ("trigger", "index"):
            db.execute(f'DROP {kind} "{name}"')
    try:
        for table in ("answer", "entry"):
            db.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
        for statement in STATEMENTS:
            db.execute(statement)
        make_key(db)
        db.execute(f"INSERT INTO entry ({columns}) SELECT {columns} FROM old_entry ORDER BY seq")
        db.execute("INSERT INTO answer SELECT seq, blob FROM old_answer ORDER BY seq")
        for table in ("answer", "entry"):
            db.execute(f"DROP TABLE old_{table}")
    except sqlite3.DatabaseError:
        db.execute("ROLLBACK")
        raise Refusal(Code.LEDGER_BROKEN) from None
