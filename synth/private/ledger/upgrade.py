"""Upgrade an older ledger to the current rules, in one transaction. Entries keep their hashes.

Version 1 had no Gaussian runs: each of its runs may contain queries of any kind, and its budgets have one
limit for all runs. So in an old budget, a Gaussian run has the same limit as any other run until the budget
is raised with a guarantee.

Version 2 had no key: its receipts contain the link to the chain itself and can still be checked. Its budgets
did not state which change they protect. They accept no run until this is declared (`Ledger.declare`).

Version 3 had the laws in its rules, without a table of laws. A ledger of the current version that has fewer
laws than the program is upgraded as well: its rules are kept, and its entries must pass them with the new
tables.

Before version 0.10 of the program, runs under GDP could only make queries with Gaussian noise, and all other
runs were reserved in zCDP. Their entries keep their cost and their rule.

In version 4, every charge added up all charges of its run again. Only `batch` checked that a run with
training names its law, and that the cost of training is valid at the order at which it is converted.
"""

from __future__ import annotations

import sqlite3

from synth.core.errors import Code, Refusal
from synth.private.ledger.commitment import make_key
from synth.private.ledger.rules import CHANGE, COLUMNS, LAW_TABLES, STATEMENTS, TERMS, VERSION, laws_in

COLUMNS_BEFORE = {
    1: tuple(column for column in COLUMNS if column not in (*TERMS, *CHANGE)),
    2: tuple(column for column in COLUMNS if column not in CHANGE),
    3: COLUMNS,
    4: COLUMNS,
    VERSION: COLUMNS,
}
"""The columns of an entry in each version that can be upgraded."""


def is_present(db: sqlite3.Connection) -> bool:
    """Return whether a ledger has this version and the current laws."""
    return _version(db) == VERSION and laws_in(db) == LAW_TABLES


def is_earlier(db: sqlite3.Connection) -> bool:
    """Return whether a ledger can be upgraded.

    This is the case if it has an earlier version, or only some of the current laws.
    """
    if _version(db) != VERSION:
        return _version(db) in COLUMNS_BEFORE
    return not is_present(db) and all(
        set(filled) <= set(fields) for filled, fields in zip(laws_in(db), LAW_TABLES, strict=True)
    )


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def upgrade(db: sqlite3.Connection) -> None:
    """Write every entry again under the current rules, within the caller's transaction.

    Raises: `Refusal(LEDGER_BROKEN)` if an old entry does not pass the rules; the file is then unchanged.
    """
    columns = ", ".join(COLUMNS_BEFORE[_version(db)])
    before = db.execute("SELECT type, name FROM sqlite_schema WHERE sql NOT NULL").fetchall()
    has_key = ("table", "secret") in before
    for kind, name in before:
        if kind in ("trigger", "index"):
            db.execute(f'DROP {kind} "{name}"')
    try:
        for table in ("law_ask", "law", "spent"):
            db.execute(f"DROP TABLE IF EXISTS {table}")
        for table in (kept := ("answer", "entry", "secret") if has_key else ("answer", "entry")):
            db.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
        for statement in STATEMENTS:
            db.execute(statement)
        if has_key:
            db.execute("INSERT INTO secret SELECT * FROM old_secret")
        else:
            make_key(db)
        db.execute(f"INSERT INTO entry ({columns}) SELECT {columns} FROM old_entry ORDER BY seq")
        db.execute("INSERT INTO answer SELECT seq, blob FROM old_answer ORDER BY seq")
        for table in kept:
            db.execute(f"DROP TABLE old_{table}")
    except sqlite3.DatabaseError:
        db.execute("ROLLBACK")
        raise Refusal(Code.LEDGER_BROKEN) from None
