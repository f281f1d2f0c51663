"""Prepare the ledger's file, which must be private, durable, on a local disk, and have the current rules."""

from __future__ import annotations

import itertools
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from synth.core.errors import Code, Mistake, Refusal
from synth.core.system import places
from synth.core.system.disks import Reach, has_other_names, reach_of
from synth.private.ledger.commitment import make_key
from synth.private.ledger.rules import STATEMENTS, sums_hold
from synth.private.ledger.upgrade import is_earlier, is_present, upgrade

RUN_SECONDS = 600.0
"""Maximum time in seconds that a run waits for other processes."""

LOOK_SECONDS = 0.5
"""Time in seconds that SQLite waits for another process between two calls of `waiting`."""

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)


def wait_only(look: int) -> None:
    """Show nothing while waiting."""


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How many seconds to wait for other processes to finish their writes, and what to do meanwhile.

    `waiting` is called between two attempts with the number of the attempt, which starts at 0. An exception
    from it ends the wait, and nothing is written.
    """

    seconds: float = 10.0
    waiting: Callable[[int], None] = wait_only

    def until_free(self, db: sqlite3.Connection, *statements: str) -> sqlite3.Cursor:
        """Run the statements until no other process blocks them, and return the result of the last one.

        Changes are rolled back before the next attempt. Raises: `Refusal(LEDGER_BUSY)` if the time runs out.
        """
        deadline = time.monotonic() + self.seconds
        for look in itertools.count():
            try:
                return [db.execute(statement) for statement in statements][-1]
            except sqlite3.OperationalError as error:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                if not is_busy(error):
                    raise
            if time.monotonic() >= deadline:
                raise Refusal(Code.LEDGER_BUSY)
            self.waiting(look)
            time.sleep(0.01)  # not every statement waits by itself
        raise AssertionError("attempts do not run out")


BRIEF = Patience()
"""The patience of a page or a command, which should quickly report that the ledger is busy."""


def is_busy(error: Exception) -> bool:
    """Return whether an SQLite error only means that another process is writing."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY


def check_disk(path: Path) -> None:
    """Check that the file is on a local disk and has only one name. Raises: `Mistake` if it is not.

    SQLite's locks and log work only on one machine, and its log is named after the file.
    """
    reach, kind = reach_of(path)
    if reach is Reach.NETWORK:
        raise Mistake(
            f"The ledger {str(path)!r} is on a network disk ({kind}), where two machines could spend the "
            f"same budget twice. Set {places.LEDGER} to a file on a local disk, or {places.HOME} to a folder "
            "on one."
        )
    if has_other_names(path):
        raise Mistake(
            f"The ledger {str(path)!r} can be reached under a second name: a hard link, or a separate "
            "mount. With two names, the same budget could be spent twice. Remove the hard link, or mount "
            "the whole folder."
        )


def make_private(path: Path) -> None:
    """Create a new file that only its owner can read.

    An existing file is not opened, because closing it would release SQLite's locks.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def prepare(db: sqlite3.Connection, patience: Patience = BRIEF) -> None:
    """Apply durable settings, and create the tables and rules if the file is new.

    If an existing file already has these settings, no statement has to wait.

    Raises: `Refusal(LEDGER_BROKEN)` if its sums do not match its charges.
    """
    mode = patience.until_free(db, "PRAGMA journal_mode = WAL").fetchone()[0]
    for setting in ("synchronous = FULL", "fullfsync = ON", "foreign_keys = ON", "recursive_triggers = ON"):
        db.execute(f"PRAGMA {setting}")
    patience.until_free(db, "PRAGMA user_version")
    if not is_present(db):
        patience.until_free(db, "BEGIN IMMEDIATE")
        if db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0:
            for statement in STATEMENTS:
                db.execute(statement)
            make_key(db)
        elif is_earlier(db):
            upgrade(db)
        db.execute("COMMIT")
    if mode != "wal" or not is_present(db):
        raise sqlite3.DatabaseError("the file is not a ledger of this version")
    if not sums_hold(db):
        raise Refusal(Code.LEDGER_BROKEN)
    db.row_factory = sqlite3.Row


def let_go(db: sqlite3.Connection, process: int) -> None:
    if os.getpid() == process:
        db.close()
