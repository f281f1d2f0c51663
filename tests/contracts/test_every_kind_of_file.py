"""One table in every kind of file, and in UTF-16, gives the same encoded table."""

from __future__ import annotations

import datetime as dt
import gzip
import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

from synth.bench.tables.tables import find
from synth.core.discretisation import declared_axes
from synth.core.schema import FileFormat, Schema
from synth.dictionaries import dump_schema, load_schema
from synth.private.entropy import Rehearsal
from synth.private.frame import Frame
from synth.private.table import open_table
from synth.rules import parse_rules
from tests.contracts.bundles import bundle_of, differing
from tests.sas import write_sas

ROOT = Path(__file__).parents[2]
ROWS = 500
NEEDS_DATA = pytest.mark.skipif(
    "MARGINALIA_DATA" not in os.environ, reason="MARGINALIA_DATA names no folder of real tables"
)
ENDINGS = ("csv.gz", "zip", "xlsx", "sav", "dta", "sas7bdat", "parquet", "duckdb", "utf-16", "frame", "arrow")
RAW = {
    "pay": ["1.234,5", "12,75 \u20ac", "(7)", "999,0", "-", "", "1 200", "3"],
    "since": ["31.12.1999", "3.4.99", "3. M\u00e4rz 1999", "1999-04-03", "never", "", "1.1.2000 10:00", "5"],
    "rents": ["ja", "Nein", "JA", "n", "", "1", "\u00a0ja", "maybe"],
}
"""Cells as people write them, all of them texts."""
WRITTEN = {
    "name": "raw",
    "population": "raw",
    "unit": {"max_rows": 1},
    "file": {"decimal_sign": ",", "thousands": ".", "date_order": "day-month-year"},
    "columns": [
        {"name": "pay", "kind": "decimal", "min": -10, "max": 2000, "measured_in": "EUR", "missing": ["999"]},
        {"name": "since", "kind": "date", "min": "1990-01-01", "max": "2009-12-31", "bins": 240},
        {"name": "rents", "kind": "category", "values": [True, False], "outside": "other"},
    ],
}


def typed(column: pd.Series) -> pd.Series:
    """Numbers and days where a spreadsheet would take a column for such."""
    numbers = pd.to_numeric(column, errors="coerce")
    if numbers.notna().equals(column != ""):
        return numbers
    if column[column != ""].str.fullmatch(r"\d{4}-\d\d-\d\d").all():
        return column.map(lambda day: dt.date.fromisoformat(day) if day else None).astype(object)
    return column


def written(frame: pd.DataFrame, path: Path) -> Path:
    text = frame.to_csv(index=False)
    shown = frame.apply(typed)
    match path.name.partition(".")[2]:
        case "csv.gz":
            path.write_bytes(gzip.compress(text.encode()))
        case "zip":
            with zipfile.ZipFile(path, "w") as out:
                out.writestr("harbour.csv", text)
        case "xlsx":
            shown.to_excel(path, index=False)
        case "sav":
            pyreadstat.write_sav(shown, str(path))
        case "dta":
            pyreadstat.write_dta(shown, str(path))
        case "sas7bdat":
            write_sas(shown, path)
        case "parquet":
            frame.to_parquet(path)
        case "duckdb":
            with duckdb.connect(str(path)) as base:
                base.register("given", frame)
                base.execute("CREATE TABLE t AS SELECT * FROM given")
        case "utf-16":
            path.write_text(text, encoding="utf-16")
        case _:
            path.write_text(text, encoding="utf-8")
    return path


def codes_of(path: Path | Frame, schema: Schema) -> list[list[int]]:
    axes = declared_axes(schema, parse_rules([], schema))
    table = open_table(path, schema, axes=axes, entropy=Rehearsal(7)).codes(axes)
    return [column.tolist() for column in table.columns]


def placed(data: pd.DataFrame, ending: str, folder: Path) -> Any:
    match ending:
        case "frame":
            return Frame(data.apply(typed))
        case "arrow":
            return Frame(pa.Table.from_pandas(data.apply(typed)))
    return written(data, folder / f"t.{ending}")


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_demo_is_the_same_table(tmp_path: Path, ending: str) -> None:
    data: Any = pd.read_csv(ROOT / "assets/demo/harbour.csv", dtype=str, keep_default_na=False, nrows=ROWS)
    schema = load_schema(json.loads((ROOT / "assets/demo/schema.json").read_text(encoding="utf-8")))
    expected = codes_of(written(data, tmp_path / "t.csv"), schema)
    assert codes_of(placed(data, ending, tmp_path), schema) == expected


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_text_is_read_alike(tmp_path: Path, ending: str) -> None:
    data, schema = pd.DataFrame(RAW), load_schema(WRITTEN)
    expected = codes_of(written(data, tmp_path / "t.csv"), schema)
    assert len({code for column in expected for code in column}) > 8
    assert codes_of(placed(data, ending, tmp_path), schema) == expected


def demo() -> tuple[pd.DataFrame, dict[str, Any]]:
    data = pd.read_csv(ROOT / "assets/demo/harbour.csv", dtype=str, keep_default_na=False)
    return data, json.loads((ROOT / "assets/demo/schema.json").read_text(encoding="utf-8"))


def real(name: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A public table of the benchmarks, with column names that SPSS and Stata accept."""
    table = find(name)
    document = dump_schema(replace(table.schema, file=FileFormat()))
    names = [column["name"].replace("-", "_") for column in document["columns"]]
    document["columns"] = [{**c, "name": n} for c, n in zip(document["columns"], names, strict=True)]
    header = 0 if table.schema.file.header else None
    data = pd.read_csv(
        table.csv, header=header, names=names, dtype=str, keep_default_na=False, skipinitialspace=True
    )
    return data, document


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("demo", "blend"),
        *(pytest.param(name, "mst", marks=NEEDS_DATA) for name in ("adult-raw", "bank")),
    ],
)
def test_all_rows_make_the_same_package(tmp_path: Path, name: str, method: str) -> None:
    data, schema = demo() if name == "demo" else real(name)
    made = {}
    for ending in ("csv", "csv.gz", "xlsx", "sav", "dta"):
        (folder := tmp_path / ending).mkdir()
        made[ending] = bundle_of(str(written(data, folder / f"t.{ending}")), folder, schema, method=method)
    assert {ending: differing(files, made["csv"]) for ending, files in made.items() if ending != "csv"} == {
        "csv.gz": [],
        "xlsx": [],
        "sav": [],
        "dta": [],
    }
