"""Test that a sealed function raises a `Refusal` without the cause, and that hidden objects reveal
nothing.
"""

import copy
import errno
import pickle
import sqlite3
import traceback
from typing import Any

import pytest

from synth.core.errors import Code, Refusal
from synth.private.counting.codes import Codes
from synth.private.counting.numpy_engine import NumpyEngine
from synth.private.database_table import DatabaseTable
from synth.private.exact_tables import ExactTables
from synth.private.gradients import Rows
from synth.private.reading.connections import Connection
from synth.private.reading.duckdb_session import DuckdbSession
from synth.private.reading.vault import Vault
from synth.private.sealed import sealed
from synth.private.session import PrivateSession, PrivateSource
from synth.private.table import PrivateTable
from tests.refusals import refused

CANARY = "canary-7f3a"


@sealed(Code.FILE_UNREADABLE)
def stumble(value: str) -> None:
    raise KeyError(value)


def test_exception_leaves_no_text_and_no_chain() -> None:
    with pytest.raises(Refusal) as caught:
        stumble(CANARY)
    refusal = caught.value
    assert refusal.code is Code.FILE_UNREADABLE
    assert refusal.__cause__ is None
    assert refusal.__context__ is None
    assert "KeyError" not in "".join(traceback.format_exception(refusal))
    names = [frame.name for frame in traceback.extract_tb(refusal.__traceback__)]
    assert "stumble" not in names


def test_refusal_keeps_its_code() -> None:
    @sealed(Code.INTERNAL)
    def refuse() -> None:
        raise Refusal(Code.HEADER_MISMATCH)

    with pytest.raises(Refusal) as caught:
        refuse()
    assert caught.value.code is Code.HEADER_MISMATCH
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    "error", [Refusal(Code.HEADER_MISMATCH), KeyError(CANARY), OSError(errno.ENOSPC, "full")]
)
def test_no_error_keeps_the_frames_that_held_rows(error: Exception) -> None:
    """Also a refusal that is raised inside: its traceback would keep the rows of every frame on its way."""

    @sealed()
    def stumble_with_rows() -> None:
        rows = [CANARY]
        raise error if rows else AssertionError

    with pytest.raises(Refusal) as caught:
        stumble_with_rows()
    assert not any("rows" in frame.f_locals for frame, _ in traceback.walk_tb(caught.value.__traceback__))


def test_a_full_disk_keeps_its_reason_but_not_its_path() -> None:
    @sealed(Code.INTERNAL)
    def fill() -> None:
        raise OSError(errno.ENOSPC, "No space left on device", CANARY)

    @sealed(Code.LEDGER_UNAVAILABLE)
    def fill_ledger() -> None:
        db = sqlite3.connect(":memory:")
        db.execute("PRAGMA max_page_count = 2")
        db.execute("CREATE TABLE t (x)")
        db.execute("INSERT INTO t VALUES (zeroblob(100000))")

    for full in (fill, fill_ledger):
        with pytest.raises(Refusal) as caught:
            full()
        assert caught.value.code is Code.DISK_FULL
        assert CANARY not in "".join(traceback.format_exception(caught.value))


HOLDERS = (PrivateSession, PrivateSource, PrivateTable, DatabaseTable, Rows, Codes, ExactTables)


@pytest.mark.parametrize("kind", [*HOLDERS, NumpyEngine, DuckdbSession, Connection, Vault])
def test_what_holds_rows_or_a_secret_is_neither_shown_nor_copied_nor_pickled(kind: type[Any]) -> None:
    held = object.__new__(kind)
    if hasattr(held, "__dict__"):
        held.__dict__["told"] = CANARY
    assert repr(held) == str(held) == f"{kind.__name__}()"
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with refused(Code.QUERY_INVALID):
            attempt(held)
