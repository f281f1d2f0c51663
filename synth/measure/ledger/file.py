"""The ledger's file: for its owner only, durable, and under the present rules."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import suppress
from pathlib import Path

from synth.measure.ledger.commitment import make_key
from synth.measure.ledger.rules import STATEMENTS, VERSION
from synth.measure.ledger.upgrade import COLUMNS_BEFORE, upgrade

PATIENCE = 30.0
"""Seconds to wait for another process to finish its entry."""


def make_private(path: Path) -> None:
    """A new file for its owner only. An old one is not opened: closing it would drop SQLite's locks."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def prepare(db: sqlite3.Connection) -> None:
    """Durable settings, and the tables and rules if the file is new."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            mode = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            break
        except sqlite3.OperationalError:  # the one statement that does not wait for others by itself
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
    for setting in ("synchronous = FULL", "fullfsync = ON", "foreign_keys = ON", "recursive_triggers = ON"):
        db.execute(f"PRAGMA {setting}")
    db.execute("BEGIN IMMEDIATE")
    if db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0:
        for statement in STATEMENTS:
            db.execute(statement)
        make_key(db)
    elif db.execute("PRAGMA user_version").fetchone()[0] in COLUMNS_BEFORE:
        upgrade(db)
    db.execute("COMMIT")
    if mode != "wal" or db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
        raise sqlite3.DatabaseError("not a ledger of this version")
    db.row_factory = sqlite3.Row


def let_go(db: sqlite3.Connection, process: int) -> None:
    if os.getpid() == process:
        db.close()
