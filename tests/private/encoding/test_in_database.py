"""Test that codes from a database equal the codes of the same table in a Parquet file, for any cells."""

import datetime as dt
import math
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from synth.core.axis import Axis
from synth.core.discretisation import axis_of
from synth.core.errors import Code
from synth.core.schema import Column, FileFormat, Group, Kind, Outside, Schema, Unit
from synth.private.encoding.in_database import check_stored, coded
from synth.private.reading.connections import Connection, opened
from synth.private.reading.sessions import Session, Stored
from synth.private.table import open_table
from tests.refusals import refused

TEXTS = [
    "a", " a ", "\ta\n", "A", "b c", "é", "Ã©", "ã©", "NA", "na", "", "  ", "?", "a'b", 'a"b', "a\\b",
    "%", "_", "I21", "I219", "I2", "NAX", "NAY", "N1", "true", "TRUE", "True", "1", "01", "\u00a0a", "ß",
    "😀", "null", None,
    "e\u0301", "a\u2019b", "b\u2009 c", "b  c", "a\u200b", "\u2014", "Yes", "SÍ", "si\u0301", "0",
    "n", "hay\u0131r", "\u00c9", "B C", "nax", "stra\u00dfe", "STRASSE", "\u0130", "\u03a3", "\u03c2", "I",
]  # fmt: skip
VALUES = [
    "a", "A", "b c", "é", "Ã©", "a'b", "1", "true", "I2", "😀", "a\u2019b", "e\u0301", "-", "B c", "\u03c3",
    "Stra\u00dfe", "i\u0307", "\u0131",
]  # fmt: skip
WHOLES = [0, 1, -1, 7, 8, 9, 10, 99, 100, 2**53, 2**53 + 1, -(2**63), 2**63 - 1, 77, None]
FLOATS = [
    0.0, -0.0, 0.1, 0.2, 0.1 + 0.2, 0.3, 1.0, 1.5, 2.0, 10.0, 10.000000000000002, 9.999999999999998, -5.0,
    1e308, 5e-324, math.inf, -math.inf, math.nan, 77.0, 7.5, None,
]  # fmt: skip
DECIMALS = [Decimal(t) for t in ("0.00", "0.10", "0.30", "9.99", "10.00", "-0.01", "77.00", "123456.78")]
DAYS = [
    dt.date(1, 1, 1), dt.date(1969, 12, 31), dt.date(1970, 1, 1), dt.date(2000, 2, 29), dt.date(2019, 12, 31),
    dt.date(2020, 1, 1), dt.date(1900, 1, 1), dt.date(9999, 12, 31), None,
]  # fmt: skip
MOMENTS = [
    dt.datetime(1970, 1, 1, 0, 0, 0), dt.datetime(1969, 12, 31, 23, 59, 59, 999_999), dt.datetime(2020, 1, 1),
    dt.datetime(2019, 12, 31, 23, 59, 59, 999_999), dt.datetime(1900, 1, 1, 12, 30, 0, 5),
    dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999_999), None,
]  # fmt: skip
POOLS: dict[str, tuple[list[Any], str, Any]] = {
    "text": (TEXTS, "text", pa.string()),
    "whole": (WHOLES, "bigint", pa.int64()),
    "float": (FLOATS, "double precision", pa.float64()),
    "decimal": ([*DECIMALS, None], "numeric(12,2)", pa.decimal128(12, 2)),
    "bool": ([True, False, None], "boolean", pa.bool_()),
    "day": (DAYS, "date", pa.date32()),
    "moment": (MOMENTS, "timestamp", pa.timestamp("us")),
}
MISSING = ("", "NA", "?", "N", "77", "nan", "null", "1900-01-01", "1900-01-01 12:30:00")
RULES = [None, Outside.OTHER, Outside.MISSING]


def _draw(rng: np.random.Generator, values: list[Any], most: int) -> list[Any]:
    return [values[i] for i in rng.permutation(len(values))[: int(rng.integers(1, most + 1))]]


def _column(rng: np.random.Generator, name: str, pool: str) -> Column:
    outside = RULES[int(rng.integers(3))]
    blank = bool(rng.random() < 0.7)
    own = {"text": ("b c", "n"), "day": ("1970-01-01",), "moment": ("1970-01-01",)}.get(
        pool, ("9", "-1.0", "$100")
    )
    missing = own if rng.random() < 0.5 else ()
    if pool in ("text", "bool"):
        values: list[Any] = _draw(
            rng, [*VALUES], 8,
        )  # fmt: skip
        if rng.random() < 0.3:
            values = [True, False]
        reads = [[] for _ in values]
        if rng.random() < 0.5:
            reads[0], reads[-1] = ["I21*", "NA*"], [*reads[-1], "N*", "ß", "NAX"]
        kind = Kind.CATEGORY if rng.random() < 0.5 else Kind.ORDERED
        return Column(
            name=name, kind=kind, values=tuple(values), reads=tuple(map(tuple, reads)), outside=outside,
            missing=missing, blank=blank,
        )  # fmt: skip
    if pool in ("day", "moment"):
        low, high = sorted(str(d) for d in rng.permutation([d for d in DAYS if d])[:2])
        bins = int(rng.integers(1, 40))
        return Column(
            name=name, kind=Kind.DATE, min=low, max=high, bins=bins, outside=outside, missing=missing,
            blank=blank,
        )  # fmt: skip
    if pool != "decimal" and rng.random() < 0.4:
        values = _draw(rng, [0, 1, 7, 0.1, 1.5, 9.0, 77, 2**53, -1], 5)
        return Column(
            name=name, kind=Kind.CATEGORY, values=tuple(values), outside=outside, missing=missing,
            blank=blank,
        )  # fmt: skip
    if pool == "whole" and rng.random() < 0.5:
        return Column(
            name=name, kind=Kind.INTEGER, min=-1, max=int(rng.integers(0, 120)), outside=outside,
            missing=missing,
        )  # fmt: skip
    low = float(rng.choice([0.0, -5.0, 0.1]))
    high = float(rng.choice([0.3, 10.0, 99.0]))
    return Column(
        name=name, kind=Kind.DECIMAL, min=low, max=high, bins=int(rng.integers(1, 70)), outside=outside,
        missing=missing, blank=blank, points=(high,) if rng.random() < 0.2 else (),
    )  # fmt: skip


def _case(seed: int, rows: int = 300) -> tuple[Schema, dict[str, str], dict[str, list[Any]]]:
    """Return a random schema with columns of every type, and a table with values of each type."""
    rng = np.random.default_rng(seed)
    names = [f"{pool} {i}" for pool in POOLS for i in range(2)]
    pools = {name: name.split()[0] for name in names}
    columns = tuple(_column(rng, name, pools[name]) for name in names)
    schema = Schema(
        name="t", population="t", unit=Unit(max_rows=1), columns=columns, file=FileFormat(missing=MISSING)
    )
    held = {
        name: [POOLS[p][0][i] for i in rng.integers(0, len(POOLS[p][0]), rows)] for name, p in pools.items()
    }
    return schema, pools, held


@pytest.fixture(params=["duckdb", "postgres"])
def keep(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """A function that writes a table to a database and opens it there."""
    pytest.importorskip("ibis", reason="the extra 'databases' is not installed")
    sessions: list[Session] = []

    def kept(pools: dict[str, str], held: dict[str, list[Any]]) -> Session:
        if request.param == "duckdb":
            path = tmp_path / f"{len(sessions)}.duckdb"
            with duckdb.connect(str(path)) as base:
                base.register(
                    "given", pa.table({n: pa.array(v, POOLS[pools[n]][2]) for n, v in held.items()})
                )
                base.execute("CREATE TABLE t AS SELECT * FROM given")
            sessions.append(opened(Connection("duckdb", {"path": str(path), "table": "t"})))
        else:
            server = request.getfixturevalue("postgres")
            columns = ", ".join(f'"{name}" {POOLS[pool][1]}' for name, pool in pools.items())
            server.fill("t", columns, zip(*held.values(), strict=True))
            sessions.append(opened(Connection("postgres", server.settings("t"))))
        return sessions[-1]

    yield kept
    for session in sessions:
        session.close()


def in_file(
    path: Path, schema: Schema, pools: dict[str, str], held: dict[str, list[Any]], axes: list[Axis]
) -> Any:
    pq.write_table(pa.table({n: pa.array(v, POOLS[pools[n]][2]) for n, v in held.items()}), path)
    return np.stack([c.astype(int) for c in open_table(path, schema, axes=axes).codes(axes).columns], axis=1)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2, 3))])
def test_every_cell_has_the_code_that_it_has_in_a_file(seed: int, tmp_path: Path, keep: Any) -> None:
    schema, pools, held = _case(seed)
    axes = [axis_of(column) for column in schema.modelled]
    session = keep(pools, held)
    check_stored(session.columns, schema)
    codes = coded(session, schema, axes, key=b"k")
    found = np.array(session.rows(codes), dtype=int)
    kept = session.kept(codes, {f"c{i}": axis.missing_code + 1 for i, axis in enumerate(axes)})
    np.testing.assert_array_equal(np.array(session.rows(kept), dtype=int), found)
    expected = in_file(tmp_path / "t.parquet", schema, pools, held, axes)
    for i, axis in enumerate(axes):
        differ = np.flatnonzero(found[:, i] != expected[:, i]).tolist()
        assert not differ, (axis, {held[axis.name][row]: (found[row, i], expected[row, i]) for row in differ})


def test_every_cell_that_does_not_fit_has_the_reason_that_it_has_in_a_file(tmp_path: Path, keep: Any) -> None:
    schema, pools, held = _case(7)
    columns = tuple(replace(c, blank=i % 2 == 0) for i, c in enumerate(schema.columns))
    schema = replace(schema, columns=columns)
    axes, session = [axis_of(column) for column in schema.modelled], keep(pools, held)
    found = np.array(session.rows(coded(session, schema, axes, key=b"k", with_reasons=True)), dtype=int)
    pq.write_table(
        pa.table({n: pa.array(v, POOLS[pools[n]][2]) for n, v in held.items()}), tmp_path / "t.parquet"
    )
    codes = open_table(tmp_path / "t.parquet", schema, axes=axes).codes(axes)
    assert found[:, len(axes) :].any(axis=0).sum() > len(axes) / 2, "most columns have cells that do not fit"
    for i, axis in enumerate(axes):
        own, reasons = found[:, i], found[:, len(axes) + i]
        counts = np.zeros_like(codes.unfit(i))
        np.add.at(counts, (own[reasons > 0], reasons[reasons > 0] - 1), 1)
        assert counts.tolist() == codes.unfit(i).tolist(), axis


def test_options_and_groups_are_those_of_a_file(tmp_path: Path, keep: Any) -> None:
    columns = (
        Column(name="h", kind=Kind.CATEGORY, values=("a", "b c", "é"), reads=(("A",), (), ()), separator="|"),
        Column(name="g", kind=Kind.CATEGORY, values=("a", "b"), separator=";", blank=False),
        Column(name="x", kind=Kind.CATEGORY, values=("0", "1")),
        Column(name="y", kind=Kind.CATEGORY, values=(0, 1)),
        Column(name="z", kind=Kind.CATEGORY, values=(True,)),
    )
    groups = (Group(name="any", columns=("x", "y"), at_most=True), Group(name="one", columns=("z", "w")))
    schema = Schema(
        name="t",
        population="t",
        unit=Unit(max_rows=1),
        columns=(*columns, replace(columns[2], name="w", values=("true",))),
        groups=(groups[0], replace(groups[1], chosen=True)),
    )
    cells = [
        "a|b c", " b c | a", "A|\té ", "|", "", "NA", None, "x", "a;b", " b ;x;", "Ã©", "a|A", "b;a;b",
        ";NA", "B C|É", "B; A", "n/a;B",
    ]  # fmt: skip
    rng = np.random.default_rng(0)
    some = {"h": cells, "g": cells, "x": ["0", "1", "", "2"], "y": [0, 1, None], "z": [True, False, None]}
    some["w"] = ["true", "TRUE", "no", ""]
    held = {name: [own[i] for i in rng.integers(0, len(own), 300)] for name, own in some.items()}
    pools = {"h": "text", "g": "text", "x": "text", "y": "whole", "z": "bool", "w": "text"}
    axes, session = [axis_of(column) for column in schema.modelled], keep(pools, held)
    check_stored(session.columns, schema)
    found = np.array(session.rows(coded(session, schema, axes, key=b"k")), dtype=int)
    expected = in_file(tmp_path / "t.parquet", schema, pools, held, axes)
    for i, axis in enumerate(axes):
        assert found[:, i].tolist() == expected[:, i].tolist(), axis.name


COUNTED = Schema(
    name="t", population="t", unit=Unit(max_rows=2, id_column="who"),
    columns=(
        Column(name="a", kind=Kind.CATEGORY, values=("x", "y")),
        Column(name="who", kind=Kind.DROP),
        Column(name="n", kind=Kind.INTEGER, min=0, max=9),
    ),
)  # fmt: skip
UNITS = {
    "who": ["u1"] * 9 + [" u1 ", "u2", "u2", "u3", "", None, "NA", "NA", "U1"],
    "a": ["x"] * 5 + ["y"] * 4 + ["x", "y", "z", None, *"xxxxx"],
    "n": [*range(9), 9, 1, 1, 1, *range(5)],
}
STORED = {"who": "text", "a": "text", "n": "whole"}


def test_no_unit_keeps_more_rows_than_declared_and_nobody_has_none(keep: Any) -> None:
    """Ids are stripped and tell case apart; rows of nobody known do not stay."""
    axes, session = [axis_of(column) for column in COUNTED.modelled], keep(STORED, UNITS)
    kept = [sorted(session.rows(coded(session, COUNTED, axes, key=bytes([k])))) for k in range(8)]
    for rows in kept:
        assert len(rows) == 2 + 2 + 1 + 1
        assert (0, 4) in rows and (2, 1) in rows  # U1, who has one row; u3's, whose a is blank
    assert len(set(map(tuple, kept))) > 3  # another key, another draw
    again = session.rows(coded(session, COUNTED, axes, key=b"\x00"))
    assert sorted(again) == kept[0]


def test_equal_rows_of_a_unit_are_drawn_as_often_as_they_stand(keep: Any) -> None:
    """With nine equal rows, a different row and a cap of one, the different row is kept about once in ten."""
    held = {"who": ["u"] * 10, "a": ["x"] * 9 + ["y"], "n": [1] * 10}
    schema = replace(COUNTED, unit=Unit(max_rows=1, id_column="who"))
    axes, session = [axis_of(column) for column in schema.modelled], keep(STORED, held)
    drawn = [session.rows(coded(session, schema, axes, key=k.to_bytes(2, "big"))) for k in range(20)]
    others = sum(rows[0][0] == 1 for rows in drawn)
    assert 0 < others < 6  # were equal rows one, about 10; keys are fixed, so chance has no part


@pytest.mark.parametrize(
    ("stored", "column", "code"),
    [
        (Stored.TEXT, Column(name="c", kind=Kind.CATEGORY, values=(1, 2)), Code.DATABASE_VALUES),
        (Stored.DECIMAL, Column(name="c", kind=Kind.CATEGORY, values=(1, 2)), Code.DATABASE_VALUES),
        (Stored.FLOAT, Column(name="c", kind=Kind.CATEGORY, values=("1",)), Code.DATABASE_VALUES),
        (Stored.DATE, Column(name="c", kind=Kind.CATEGORY, values=("2020-01-01",)), Code.DATABASE_VALUES),
        (Stored.TEXT, Column(name="c", kind=Kind.INTEGER, min=0, max=1), Code.DATABASE_NUMBER),
        (Stored.OTHER, Column(name="c", kind=Kind.DECIMAL, min=0, max=1), Code.DATABASE_NUMBER),
        (Stored.TEXT, Column(name="c", kind=Kind.DATE, min="2020-01-01", max="2020-01-02"),
         Code.DATABASE_DATE),
        (Stored.TEXT, Column(name="d", kind=Kind.INTEGER, min=0, max=1), Code.HEADER_MISMATCH),
    ],
)  # fmt: skip
def test_a_type_that_is_not_encoded_alike_is_refused(stored: Stored, column: Column, code: Code) -> None:
    schema = replace(COUNTED, columns=(column,), unit=Unit(max_rows=1))
    with refused(code):
        check_stored({"c": stored}, schema)


def test_a_unit_is_text_or_a_whole_number() -> None:
    columns = {"a": Stored.TEXT, "n": Stored.WHOLE}
    check_stored({**columns, "who": Stored.WHOLE}, COUNTED)
    for stored in (Stored.FLOAT, Stored.OTHER):
        with refused(Code.DATABASE_UNIT):
            check_stored({**columns, "who": stored}, COUNTED)
