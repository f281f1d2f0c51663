"""Replay the command line on neighbouring tables, for each way to read a table.

The first run stores its noisy measurements in a ledger. The same run is then repeated with a copy of this
ledger, on tables that differ in the rows of one person. The package with its zip, what the command prints,
its exit code, the ledger and the folder of the job must be the same, byte for byte.
"""

from __future__ import annotations

import datetime as dt
import gzip
import json
import os
import re
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from synth.app.jobs import worker
from synth.app.jobs.executor import LocalProcesses
from synth.app.jobs.kinds import KINDS
from synth.cli import main
from synth.private.reading.vault import KEY_BYTES, Vault
from tests.sas import write_sas

Capture = pytest.CaptureFixture[str]
RUN = "20261121-aaaaaaaa"
ORDER = (
    *("--schema", "s.json", "--epsilon", "1", "--delta", "1e-9", "--lifetime-epsilon", "10", "--out", "out"),
    *("--method", "independent", "--rows", "40", "--yes"),
)
SCHEMA: dict[str, Any] = {
    "name": "people",
    "population": "people",
    "unit": {"max_rows": 2, "id_column": "who"},
    "columns": [
        {"name": "who", "kind": "drop"},
        {"name": "age", "kind": "integer", "min": 0, "max": 99, "bins": 5},
        {"name": "pay", "kind": "decimal", "min": 0, "max": 100, "bins": 4, "outside": "missing"},
        {"name": "since", "kind": "date", "min": "2010-01-01", "max": "2019-12-31", "bins": 4},
        {"name": "school", "kind": "ordered", "values": ["none", "some", "much"], "blank": False},
        {"name": "ward", "kind": "category", "values": ["a", "b", "c"], "outside": "other"},
    ],
}
NAMES = [column["name"] for column in SCHEMA["columns"]]
CANARY = "canary-7d2f91"
DAY = dt.date(2012, 3, 4)
Row = tuple[str, Any, Any, dt.date | None, str, str]
PERSON: Row = ("zoe", 44, 12.5, DAY, "some", "b")
NEIGHBOURS: dict[str, list[Row]] = {
    "nobody": [],
    "blank": [("zoe", None, None, None, "", "")],
    "no id": [("", 44, 12.5, DAY, "some", "b")],
    "outside": [("zoe", -(10**9), 1e300, dt.date(1960, 1, 1), CANARY, CANARY)],
    "long text": [("zoe", 44, 12.5, DAY, f"{CANARY}" * 900, "b" * 9000)],
    "more rows": [PERSON] * 7,
}
TEXTS = {
    "wrong type": f"zoe,{CANARY},nan,2012-02-30,2,\xff",
    "half a quote": f'zoe,"{CANARY}',
    "too many cells": f"zoe,1,2,2012-01-01,some,b,{CANARY},{CANARY}",
    "no text": "zoe,\0,\x1a,,\ufeff,\x85",
}
"""Lines of text that no file with types can have."""
FEW = ("outside", "half a quote", "more rows")
"""Enough for the quick tests; the long tests take all neighbours."""


def rows() -> list[Row]:
    schools = ["none", "some", "much"]
    return [
        (f"p{i // 2}", i * 7 % 100, i % 90 + 0.5, DAY + dt.timedelta(i), schools[i % 3], "abc"[i % 3])
        for i in range(160)
    ]


def frame(person: list[Row]) -> pd.DataFrame:
    return pd.DataFrame([*rows(), *person], columns=NAMES)


def text(person: list[Row] | str) -> bytes:
    table = frame([] if isinstance(person, str) else person).to_csv(index=False)
    return (table + (f"{person}\n" if isinstance(person, str) else "")).encode()


def _zip(person: list[Row] | str, path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("people.csv", text(person))


WRITERS: dict[str, Callable[[Any, Path], object]] = {
    "csv.gz": lambda person, path: path.write_bytes(gzip.compress(text(person))),
    "zip": _zip,
    "sas7bdat": lambda person, path: write_sas(frame(person), path),
}


class SameFile(Vault):
    """Has the same key in each run, and takes every file for the one that was opened first."""

    knows_file = True

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._key = b"k" * KEY_BYTES

    def check(self, digest: Any) -> None:
        super().check(self.digest())


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which workers run in the process of the test, under one run ID and seed."""
    monkeypatch.setattr("synth.app.jobs.work.Vault", SameFile)
    monkeypatch.setattr("synth.cli.release.fresh_run", lambda: RUN)
    monkeypatch.setattr("synth.cli.release.fresh_seed", lambda: 5)
    monkeypatch.setattr(LocalProcesses, "start", lambda _, task: worker.run(task, KINDS[task.kind]))
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MARGINALIA_LEDGER", str(tmp_path / "ledger.sqlite"))
    (tmp_path / "s.json").write_text(json.dumps(SCHEMA))
    monkeypatch.chdir(tmp_path)
    yield tmp_path


def told_by(address: str, folder: Path, capfd: Capture, ledger: Path | None) -> dict[str, Any]:
    """Everything that a release leaves, with the stored measurements of `ledger`."""
    for name in ("home", "out"):
        shutil.rmtree(folder / name, ignore_errors=True)
    for left in folder.glob("ledger.sqlite*"):
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    if ledger is not None:
        for kept in ledger.iterdir():
            (shutil.copytree if kept.is_dir() else shutil.copy)(kept, folder / kept.name)
    code = main(["release", "--data", address, *ORDER])
    printed = capfd.readouterr()
    return {
        "code": code,
        "out": printed.out,
        "err": printed.err,
        "package": files(folder / "out"),
        "job": {name: TIMES.sub(b"", content) for name, content in files(folder / "home" / "jobs").items()},
        "ledger": stored(folder / "ledger.sqlite"),
    }


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


TIMES = re.compile(rb'"(?:at|pid|started)": ?[^,}]+|\d{4}-\d\d-\d\dT[\d:.+]+Z?')


def stored(path: Path) -> list[str]:
    with sqlite3.connect(path) as base:
        return [*base.iterdump()]


@dataclass(frozen=True, kw_only=True)
class Replay:
    """A way to put a table in its place, which returns its address, and the people that it can hold."""

    put: Callable[[Any], str]
    people: Mapping[str, Any]

    def compare(self, folder: Path, capfd: Capture) -> None:
        """Fail if a table with other rows of one person leaves anything else."""
        begun = told_by(self.put([PERSON]), folder, capfd, None)
        assert begun["code"] == 0, begun["err"]
        (kept := folder / "kept").mkdir()
        for name in folder.glob("ledger.sqlite*"):
            (shutil.copytree if name.is_dir() else shutil.copy)(name, kept / name.name)
        first = told_by(self.put([PERSON]), folder, capfd, kept)
        assert first["code"] == 0, first["err"]
        assert first["out"].startswith("Released") and first["job"]
        for name, person in self.people.items():
            again = told_by(self.put(person), folder, capfd, kept)
            for part, content in first.items():
                assert again[part] == content, (name, part)


@pytest.mark.parametrize(
    ("kind", "few"),
    [("csv.gz", True), ("zip", True), *(pytest.param(k, False, marks=pytest.mark.long) for k in WRITERS)],
)
def test_a_file_with_other_rows_of_a_person_leaves_the_same(
    kind: str, few: bool, here: Path, capfd: Capture
) -> None:
    place = here / f"people.{kind}"

    def put(person: Any) -> str:
        WRITERS[kind](person, place)
        return place.name

    people: Mapping[str, Any] = NEIGHBOURS if kind == "sas7bdat" else NEIGHBOURS | TEXTS
    Replay(put=put, people={n: p for n, p in people.items() if not few or n in FEW}).compare(here, capfd)


def connected(here: Path, patch: pytest.MonkeyPatch, **settings: Any) -> str:
    """The address of a table in a database, which a variable of the environment describes."""
    lines = (f"{name} = {json.dumps(value)}" for name, value in settings.items())
    patch.setenv("MARGINALIA_CONNECTION_HERE", "\n".join(lines))
    return "database:here"


@pytest.mark.long
def test_a_table_of_postgres_with_other_rows_of_a_person_leaves_the_same(
    here: Path, capfd: Capture, postgres: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = "who text, age bigint, pay double precision, since date, school text, ward text"
    address = connected(here, monkeypatch, **postgres.settings("people", engine="postgres"))

    def put(person: list[Row]) -> str:
        postgres.fill("people", kinds, [*rows(), *person])
        return address

    Replay(put=put, people=NEIGHBOURS).compare(here, capfd)


@pytest.mark.long
@pytest.mark.skipif(not os.environ.get("MARGINALIA_SPARK"), reason="set MARGINALIA_SPARK=1 to try Spark")
def test_a_table_of_spark_with_other_rows_of_a_person_leaves_the_same(
    here: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ibis", reason="the extra 'databases' is not installed")
    place = here / "people.parquet"
    address = connected(here, monkeypatch, engine="pyspark", master="local[1]", files=str(place))
    kinds = [pa.string(), pa.int64(), pa.float64(), pa.date32(), pa.string(), pa.string()]

    def put(person: list[Row]) -> str:
        columns = zip(*rows(), *person, strict=True)
        cells = {n: pa.array(c, k) for n, c, k in zip(NAMES, columns, kinds, strict=True)}
        pq.write_table(pa.table(cells), place)
        return address

    Replay(put=put, people=NEIGHBOURS).compare(here, capfd)
