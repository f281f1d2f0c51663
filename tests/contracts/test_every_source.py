"""One table in every place it can lie in: the same run, with a rehearsal's fixed noise, makes the same
bundle.

`MARGINALIA_SOURCE_ROWS=1000000` repeats it on so many rows.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from tests.contracts.bundles import bundle_of, differing

ROWS = int(os.environ.get("MARGINALIA_SOURCE_ROWS", "4000"))
SCHEMA: dict[str, Any] = {
    "name": "everywhere",
    "population": "everywhere",
    "unit": {"max_rows": 1},
    "columns": [
        {"name": "age", "kind": "integer", "min": 0, "max": 99, "bins": 20},
        {
            "name": "income",
            "kind": "decimal",
            "min": 0,
            "max": 90000,
            "bins": 16,
            "decimal_sign": ",",
            "thousands": ".",
        },
        {
            "name": "joined",
            "kind": "date",
            "min": "2011-01-01",
            "max": "2020-12-31",
            "bins": 12,
            "date_order": "day-month-year",
        },
        {"name": "school", "kind": "ordered", "values": ["none", "primary", "secondary", "tertiary"]},
        {"name": "ward", "kind": "category", "values": [1, 2, 3, 4, 5, 6], "outside": "other"},
        {"name": "rents", "kind": "category", "values": [True, False]},
        {"name": "note", "kind": "drop"},
    ],
}
TYPES = {
    "age": "bigint",
    "income": "double precision",
    "joined": "date",
    "school": "text",
    "ward": "integer",
    "rents": "boolean",
    "note": "text",
}
FILES = ("csv", "csvs", "parquet", "parquets", "arrow", "duckdb")
COUNTED = ("counted-duckdb", "counted-postgres", "counted-spark")


def table(rows: int) -> pa.Table:
    """Invented rows with blanks, values outside, and texts that need stripping."""
    rng = np.random.default_rng(11)
    age = rng.integers(-3, 110, rows)
    school = np.array(["none", "primary", "secondary ", "tertiary", "unknown", "NA", ""])
    days = rng.integers(14_600, 18_900, rows).astype("datetime64[D]")
    some = {
        "age": pa.array(age, mask=rng.random(rows) < 0.02),
        "income": pa.array(np.round(age * 700 + rng.normal(0, 9000, rows), 2), mask=rng.random(rows) < 0.05),
        "joined": pa.array(days, pa.date32()),
        "school": pa.array(school[np.clip(age // 20 + rng.integers(0, 3, rows), 0, 6)]),
        "ward": pa.array(rng.integers(0, 8, rows).astype(np.int32), mask=rng.random(rows) < 0.01),
        "rents": pa.array(rng.random(rows) < 0.4),
        "note": pa.array([f"n{i}" for i in range(rows)]),
    }
    return pa.table(some)


@pytest.fixture(scope="module")
def rows() -> pa.Table:
    return table(ROWS)


@pytest.fixture(scope="module")
def expected(rows: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The bundle of the Parquet file."""
    folder = tmp_path_factory.mktemp("expected")
    with pytest.MonkeyPatch.context() as patch:
        return bundle_of(placed("parquet", rows, folder, patch, None), folder, SCHEMA)


def placed(place: str, rows: pa.Table, folder: Path, patch: pytest.MonkeyPatch, server: Any) -> str:
    """Put the table there; its address."""
    half = rows.num_rows // 2
    if place in ("csvs", "parquets"):
        (folder / place).mkdir()
        for name, part in (("b", rows.slice(half)), ("a", rows.slice(0, half))):
            kind = place.removesuffix("s")
            WRITE[kind](part, folder / place / f"{name}.{kind}")
        return str(folder / place)
    if place in WRITE:
        WRITE[place](rows, folder / f"t.{place}")
        return str(folder / f"t.{place}")
    if place == "counted-postgres":
        columns = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
        server.fill("everywhere", columns, zip(*(c.to_pylist() for c in rows.columns), strict=True))
        connection = server.settings("everywhere", engine="postgres")
    elif place == "counted-duckdb":
        WRITE["duckdb"](rows, folder / "t.duckdb")
        connection = {"engine": "duckdb", "path": str(folder / "t.duckdb"), "table": "t"}
    else:
        WRITE["parquet"](rows, folder / "t.parquet")
        connection = {"engine": "pyspark", "master": "local[2]", "files": str(folder / "t.parquet")}
    lines = (f"{name} = {json.dumps(value)}" for name, value in connection.items())
    patch.setenv("MARGINALIA_CONNECTION_HERE", "\n".join(lines))
    return "database:here"


def _write_duckdb(rows: pa.Table, path: Path) -> None:
    with duckdb.connect(str(path)) as base:
        base.register("given", rows)
        base.execute("CREATE TABLE t AS SELECT * FROM given")


def _write_csv(rows: pa.Table, path: Path) -> None:
    """A text file, in which two columns are written in a form of their own."""
    swapped = str.maketrans(",.", ".,")
    income = [None if n is None else f"{n:,.2f}".translate(swapped) for n in rows["income"].to_pylist()]
    joined = [day.strftime("%d.%m.%Y") for day in rows["joined"].to_pylist()]
    rows = rows.set_column(1, "income", pa.array(income)).set_column(2, "joined", pa.array(joined))
    pacsv.write_csv(rows, path)


WRITE: dict[str, Callable[[pa.Table, Path], Any]] = {
    "csv": _write_csv,
    "parquet": pq.write_table,
    "arrow": lambda rows, path: feather.write_feather(rows, str(path)),
    "duckdb": _write_duckdb,
}


@pytest.mark.parametrize("place", [*FILES, *COUNTED])
def test_the_same_rows_make_the_same_bundle_wherever_they_lie(
    place: str,
    rows: pa.Table,
    expected: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    if place in COUNTED:
        pytest.importorskip("ibis", reason="the extra 'databases' is not installed")
    if place == "counted-spark" and not os.environ.get("MARGINALIA_SPARK"):
        pytest.skip("set MARGINALIA_SPARK=1 to try Spark, which needs Java and takes a minute")
    server = request.getfixturevalue("postgres") if place == "counted-postgres" else None
    found = bundle_of(placed(place, rows, tmp_path, monkeypatch, server), tmp_path, SCHEMA)
    assert differing(found, expected) == []
