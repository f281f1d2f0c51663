"""Test the queries of the database engine, and its errors if the database fails."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.errors import Code, Refusal
from synth.private.counting.codes import Codes
from synth.private.counting.database_engine import DatabaseEngine
from tests.refusals import refused

ibis = pytest.importorskip("ibis", reason="the extra 'databases' is not installed")
CODES = ibis.table({"c0": "int64", "c1": "int64", "c2": "int64"}, name="t")


def held(requested: list[str], rows: int = 1000) -> DatabaseEngine:
    """An engine over invented rows that records its queries."""
    import duckdb

    base = duckdb.connect()
    base.execute(f"CREATE TABLE t AS SELECT range % 2 c0, range % 3 c1, range % 5 c2 FROM range({rows})")

    def query(counts: Any) -> list[tuple[Any, ...]]:
        requested.append(ibis.to_sql(counts, dialect="duckdb"))
        return list(base.execute(requested[-1]).fetchall())

    return DatabaseEngine(query, lambda: CODES)


def test_a_block_of_columns_is_asked_for_at_once_and_only_as_counts() -> None:
    requested: list[str] = []
    engine = held(requested)
    pairs = engine.all_counts([((0, 1), (2, 3)), ((2, 0), (5, 2)), ((1, 2), (3, 5)), ((), ())])
    assert len(requested) == 2 and "GROUP BY" in requested[1]  # all rows, and one block
    assert [int(table.sum()) for table in pairs] == [1000] * 4
    numbers = np.arange(1000)
    expected = np.zeros((5, 2), dtype=int)
    np.add.at(expected, (numbers % 5, numbers % 2), 1)
    np.testing.assert_array_equal(pairs[1], expected)


def test_nothing_is_counted_before_it_is_asked_for() -> None:
    requested: list[str] = []
    engine = held(requested)
    assert requested == []
    assert int(engine.counts((), ())) == int(engine.counts((), ())) == 1000
    assert len(requested) == 1


def _fails() -> list[tuple[Any, ...]]:
    raise ValueError("invalid input syntax for type integer: CANARY")


@pytest.mark.parametrize("answer", [_fails, lambda: [("CANARY",)], lambda: [("CANARY", 1), (2,)]])
@pytest.mark.parametrize("axes", [(), (0,)])
def test_database_errors_stay(answer: Callable[[], list[tuple[Any, ...]]], axes: tuple[int, ...]) -> None:
    engine = DatabaseEngine(lambda counts: answer(), lambda: CODES)
    with pytest.raises(Refusal) as caught:
        engine.counts(axes, (2,) * len(axes))
    assert caught.value.code is Code.DATABASE_LOST and "CANARY" not in str(caught.value)
    assert caught.value.__context__ is None and caught.value.__cause__ is None


def test_rows_are_refused() -> None:
    with refused(Code.ROWS_ELSEWHERE):
        Codes((), Domain(("a",), (2,)), engine=held([])).column(0)
