"""A table that stays in its database, as the session has it: no row, one state, and a fault that says
nothing."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from synth.core.accounting import limit_for
from synth.core.discretisation import axis_of
from synth.core.errors import Code, Mistake, Refusal
from synth.core.schema import Column, Kind, Schema, Unit
from synth.pipeline import release
from synth.private.database_table import DatabaseTable
from synth.private.entropy import OS_ENTROPY
from synth.private.ledger import Ledger
from synth.private.queries import Marginal, Votes
from synth.private.reading.vault import Vault
from synth.private.session import PrivateSource
from synth.private.table import open_table
from synth.release.plan import Plan
from synth.rules import parse_rules
from tests.ledgers import Free
from tests.refusals import refused

pytest.importorskip("ibis", reason="the extra 'databases' is not installed")
SCHEMA = Schema(
    name="t",
    population="t",
    unit=Unit(max_rows=1, id_column="who"),
    columns=(
        Column(name="a", kind=Kind.CATEGORY, values=("x", "y")),
        Column(name="n", kind=Kind.INTEGER, min=0, max=3, blank=False),
    ),
)
AXES = [axis_of(column) for column in SCHEMA.columns]
ROWS = "('u1', 'x', 1), ('u2', 'x', 2), ('u2', 'y', 2), ('u3', 'q', NULL), (NULL, 'x', 1)"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "t.duckdb"
    monkeypatch.setenv("MARGINALIA_CONNECTION_HERE", f'engine = "duckdb"\npath = "{path}"\ntable = "t"\n')
    fill(path, ROWS)
    return path


def fill(path: Path, rows: str) -> None:
    with duckdb.connect(str(path)) as base:
        base.execute("CREATE OR REPLACE TABLE t (who VARCHAR, a VARCHAR, n INTEGER)")
        base.execute(f"INSERT INTO t VALUES {rows}")


def opened(**options: Any) -> DatabaseTable:
    table = open_table("database:here", SCHEMA, axes=AXES, **options)
    assert isinstance(table, DatabaseTable)
    return table


def test_two_forms_of_an_id_are_one_unit(place: Path) -> None:
    fill(place, "('José 1', 'x', 1), (' Jose\u0301\u00a01', 'x', 2), ('Jose 1', 'x', 3)")
    assert opened().codes(AXES).rows == 2


def test_counts_are_those_of_capped_rows_with_blanks_and_values_outside(place: Path) -> None:
    codes = opened().codes(AXES)
    assert codes.rows == 3  # a row of each unit; nobody's is left out
    assert codes.counts((1,)).tolist() == [0, 1, 1, 0]  # a blank where none may be is in no cell
    assert codes.counts((0,)).sum() == 3 and codes.counts((0,))[2] == 1
    assert [int(t.sum()) for t in codes.all_counts([(0, 1), (1,)])] == [2, 2]


def test_no_row_and_no_text_comes_out_of_it(place: Path) -> None:
    table = opened()
    for ask in (
        lambda: table.codes(AXES).columns,
        lambda: table.value_counts("a"),
        lambda: table.range_counts("n", Kind.INTEGER, (0.0, 1.0)),
    ):
        with refused(Code.ROWS_ELSEWHERE):
            ask()


@pytest.mark.parametrize(
    "rows",
    [
        ROWS.replace("('u1', 'x', 1)", "('u1', 'y', 1)"),
        ROWS.replace("('u1', 'x', 1), ", ""),
        ROWS + ", ('u9', 'x', 1)",
        ROWS.replace("'x', 1", "'x', NULL", 1).replace("'q', NULL", "'q', 1"),
    ],
)
def test_a_vault_notices_another_table_and_knows_this_one(place: Path, tmp_path: Path, rows: str) -> None:
    """In the last case every column holds what it held before."""
    secrets = tmp_path / "vault.json"
    first = opened(vault=Vault(secrets)).codes(AXES).counts((0, 1)).tolist()
    fill(place, ROWS)
    assert opened(vault=Vault(secrets)).codes(AXES).counts((0, 1)).tolist() == first
    fill(place, rows)
    with refused(Code.FILE_CHANGED):
        opened(vault=Vault(secrets))


def test_rows_in_another_order_are_the_same_table(place: Path, tmp_path: Path) -> None:
    secrets = tmp_path / "vault.json"
    first = opened(vault=Vault(secrets)).codes(AXES).counts((0, 1)).tolist()
    with duckdb.connect(str(place)) as base:
        base.execute("CREATE OR REPLACE TABLE t AS SELECT * FROM t ORDER BY n DESC, a DESC, who DESC")
    assert opened(vault=Vault(secrets)).codes(AXES).counts((0, 1)).tolist() == first


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("DROP TABLE t", Code.HEADER_MISMATCH),
        ("ALTER TABLE t DROP n", Code.HEADER_MISMATCH),
        ("ALTER TABLE t ALTER n TYPE VARCHAR", Code.DATABASE_NUMBER),
    ],
)
def test_a_table_that_does_not_fit_is_refused(place: Path, statement: str, code: Code) -> None:
    """Also before a release reserves budget."""
    with duckdb.connect(str(place)) as base:
        base.execute(statement)
    with refused(code):
        opened()
    plan = Plan(schema=SCHEMA, rules=parse_rules([], SCHEMA), epsilon=1.0, delta=1e-9)
    ledger = Ledger(place.with_name("ledger.sqlite"))
    ledger.open_population("t", units=limit_for(2.0, 1e-9), protects=SCHEMA.protects, reason="a test")
    with refused(code):
        release(plan, data="database:here", ledger=ledger, run="r")
    assert not ledger.runs()


def test_a_database_that_is_not_there_and_a_view_that_cannot_cast_say_nothing(place: Path) -> None:
    with duckdb.connect(str(place)) as base:
        base.execute("ALTER TABLE t RENAME TO texts")
        base.execute("INSERT INTO texts VALUES ('u7', 'canary-4411', 1)")
        base.execute("CREATE VIEW t AS SELECT who, a, CAST(a AS INTEGER) AS n FROM texts")
    for failing in (lambda: opened().codes(AXES).counts((1,)), gone(place)):
        with pytest.raises(Refusal) as caught:
            failing()
        assert caught.value.code is Code.DATABASE_LOST and "canary" not in str(caught.value)
        assert caught.value.__context__ is None


def gone(place: Path) -> Any:
    def opening() -> None:
        place.unlink()
        opened()

    return opening


def test_a_connection_that_is_none_is_a_mistake() -> None:
    with pytest.raises(Mistake, match="no connection 'nowhere'"):
        open_table("database:nowhere", SCHEMA, axes=AXES, entropy=OS_ENTROPY)


def test_a_question_that_needs_rows_is_refused_before_it_is_charged(place: Path) -> None:
    class Penniless(Free):
        def ask_all(self, asks: Any) -> Any:
            raise AssertionError("charged")

    axes = AXES[:1]
    codes = opened().codes(axes)
    schema = replace(SCHEMA, unit=Unit(max_rows=1))
    source = PrivateSource(codes, codes.domain, Penniless(), schema=schema)
    with refused(Code.ROWS_ELSEWHERE):
        source.ask([(Votes(("a",), ((0,), (1,)), ((),)), 0.1)])
    with pytest.raises(AssertionError, match="charged"):
        source.ask([(Marginal(("a",)), 0.1)])
