"""Test the ledger's file: durable settings, its version, and no access for others."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from synth.core.errors import Cancelled, Code, Mistake
from synth.core.system import disks
from synth.private.ledger import Ledger
from synth.private.ledger.file import Patience, check_disk, make_private, prepare
from synth.private.ledger.rules import VERSION
from tests.ledgers import PERSON, opened
from tests.refusals import refused


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


AT_ONCE = Patience(seconds=0.0)


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Return a ledger with one budget to which another process is writing."""
    opened(tmp_path / "l.sqlite", 10).close()
    with closing(sqlite3.connect(tmp_path / "l.sqlite", isolation_level=None)) as lock:
        lock.execute("BEGIN IMMEDIATE")
        yield lock


def test_who_writes_hears_that_it_is_busy_and_not_broken(busy: sqlite3.Connection, tmp_path: Path) -> None:
    with closing(Ledger(tmp_path / "l.sqlite", patience=AT_ONCE)) as ledger:
        with refused(Code.LEDGER_BUSY):
            ledger.open_run("p", "r", units=1, protects=PERSON, label="")
        busy.execute("ROLLBACK")
        ledger.open_run("p", "r", units=1, protects=PERSON, label="")


def test_a_wait_that_is_given_up_leaves_nothing(busy: sqlite3.Connection, tmp_path: Path) -> None:
    def waiting(look: int) -> None:
        raise Cancelled("enough")

    with closing(Ledger(tmp_path / "l.sqlite", patience=Patience(seconds=600, waiting=waiting))) as ledger:
        with pytest.raises(Cancelled):
            ledger.open_run("p", "r", units=1, protects=PERSON, label="")
        busy.execute("ROLLBACK")
        assert ledger.runs() == ()
        ledger.open_run("p", "r", units=1, protects=PERSON, label="")


def test_a_new_ledger_that_another_process_is_making_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with refused(Code.LEDGER_BUSY):
            Ledger(path, patience=AT_ONCE)

        def waiting(look: int) -> None:
            if other.in_transaction:
                other.execute("ROLLBACK")

        with closing(Ledger(path, patience=Patience(seconds=600, waiting=waiting))) as ledger:
            assert ledger.populations() == ()


@pytest.mark.parametrize("disk", ["nfs4", "cifs", "fuse.sshfs", "lustre"])
def test_a_network_disk_is_refused_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, disk: str) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"30 22 0:40 / {tmp_path} rw - {disk} there rw\n")
    monkeypatch.setattr(disks, "MOUNTS", mounts)
    with pytest.raises(Mistake, match="MARGINALIA_LEDGER"):
        Ledger(tmp_path / "l.sqlite")
    assert not (tmp_path / "l.sqlite").exists()
    mounts.write_text(f"30 22 0:40 / {tmp_path} rw - ext4 there rw\n")
    check_disk(tmp_path / "l.sqlite")


def test_a_ledger_with_two_names_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's log is named after the file, so processes that use two names do not see each other's
    charges.
    """
    path, other = tmp_path / "l.sqlite", tmp_path / "other.sqlite"
    Ledger(path).close()
    (tmp_path / "link.sqlite").symlink_to(path)
    Ledger(tmp_path / "link.sqlite").close()
    other.hardlink_to(path)
    for name in (path, other):
        with pytest.raises(Mistake, match="a second name"):
            Ledger(name)
    other.unlink()
    Ledger(path).close()
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"30 22 0:40 / {path} rw - ext4 there rw\n")
    monkeypatch.setattr(disks, "MOUNTS", mounts)
    with pytest.raises(Mistake, match="separate mount"):
        Ledger(path)
