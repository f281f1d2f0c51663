"""The file itself: durable settings, its own version, and nobody else's."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from synth.measure.ledger.file import make_private, prepare
from synth.measure.ledger.rules import VERSION


def test_a_new_file_is_private_durable_and_of_this_version(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "l.sqlite"
    make_private(path)
    assert path.stat().st_mode & 0o077 == 0 and path.parent.stat().st_mode & 0o077 == 0
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        prepare(db)
        assert db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert db.execute("PRAGMA synchronous").fetchone()[0] == 2
        assert db.execute("PRAGMA user_version").fetchone()[0] == VERSION
        prepare(db)


@pytest.mark.parametrize("version", [0, VERSION + 1])
def test_a_file_of_an_unknown_version_is_refused(tmp_path: Path, version: int) -> None:
    with closing(sqlite3.connect(tmp_path / "l.sqlite", isolation_level=None)) as db:
        db.execute("CREATE TABLE something (x)")
        db.execute(f"PRAGMA user_version = {version}")
        with pytest.raises(sqlite3.DatabaseError, match="version"):
            prepare(db)
