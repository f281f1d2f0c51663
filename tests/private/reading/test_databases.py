"""What every session is: told by its connection, and shown to nobody."""

from __future__ import annotations

import pickle
from pathlib import Path

import duckdb
import pytest

from synth.core.errors import Refusal
from synth.private.reading.connections import Connection
from synth.private.reading.databases import opened
from synth.private.reading.duckdb_session import DuckdbSession
from synth.private.reading.sessions import Stored

pytest.importorskip("ibis", reason="the extra 'databases' is not installed")


def test_a_connection_opens_its_engine_and_leaves_out_what_has_no_text(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as base:
        base.execute("CREATE TABLE t AS SELECT 1 AS a, [1] AS b")
    session = opened(Connection("duckdb", {"path": str(path), "table": "t"}))
    assert isinstance(session, DuckdbSession)
    assert session.columns == {"a": Stored.WHOLE, "b": Stored.OTHER}
    assert session.table.columns == ("a",)
    assert repr(session) == "DuckdbSession()"
    with pytest.raises(Refusal):
        pickle.dumps(session)
    session.close()
