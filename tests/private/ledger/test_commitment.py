"""Test that a published receipt can be checked and reveals no times of the ledger."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from synth.core.errors import Code
from synth.private.ledger import Ledger
from synth.private.ledger.commitment import KEY_BYTES
from tests.ledgers import opened, tamper
from tests.refusals import refused


@pytest.fixture
def path(tmp_path: Path) -> Path:
    ledger = opened(tmp_path / "ledger.sqlite", 1000, run=300)
    ledger.ask("r", part="m", step=0, query={"ask": "measure"}, units=100, answer=lambda: b"first")
    ledger.close_run("r")
    ledger.close()
    return ledger.path


def test_receipts_hold_keyed_hashes_without_times(path: Path) -> None:
    receipt = Ledger(path).receipt("r")
    with closing(sqlite3.connect(path)) as db:
        hashes = {row[0] for row in db.execute("SELECT hash FROM entry")}
        stamps = {row[0] for row in db.execute("SELECT at FROM entry")}
    stated = str(receipt)
    assert not any(word in stated for word in hashes | stamps) and not re.search(r"\d\d:\d\d", stated)
    tamper(path, "UPDATE secret SET key = randomblob(32)")
    other = Ledger(path).receipt("r")
    assert other.pop("commitment") != receipt.pop("commitment") and other == receipt


def test_a_receipt_whose_figures_were_changed_is_not_on_record(path: Path) -> None:
    ledger = Ledger(path)
    receipt = ledger.receipt("r")
    assert ledger.verify(receipt)
    for change in (
        {"spent_units": 99},
        {"entry": 3},
        {"entry": 2**64},
        {"commitment": "0" * 64},
        {"more": 1},
    ):
        with refused(Code.LEDGER_BROKEN):
            ledger.verify(receipt | change)


def test_a_ledger_has_one_key_for_good(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT length(key) FROM secret").fetchall() == [(KEY_BYTES,)]
        for statement in (
            "UPDATE secret SET key = randomblob(32)",
            "DELETE FROM secret",
            "INSERT INTO secret (id, key) VALUES (2, randomblob(32))",
            "INSERT INTO secret (id, key) VALUES (1, randomblob(32))",
        ):
            with pytest.raises(sqlite3.IntegrityError):
                db.execute(statement)


def test_a_ledger_without_its_key_is_broken(path: Path) -> None:
    tamper(path, "DELETE FROM secret")
    with refused(Code.LEDGER_BROKEN):
        Ledger(path).verify()
