import csv
import datetime as dt
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

CANARY = "canary-5b1e9c"
LINE = (
    *("release", "--data", "t.csv", "--schema", "s.json", "--epsilon", "1", "--delta", "1e-9"),
    *("--lifetime-epsilon", "10", "--out", "out", "--yes"),
)
"""A release as it is typed in the folder of `desk`; what is typed after it wins."""
# the smallest schema file that must be accepted as it stands
SCHEMA = """{"name": "survey", "population": "survey-2024", "unit": {"max_rows": 1}, "rows_public": false,
 "columns": [
  {"name": "age",    "kind": "integer",  "min": 0, "max": 99, "bins": 25},
  {"name": "income", "kind": "decimal",  "min": 0, "max": 250000, "bins": 32},
  {"name": "joined", "kind": "date",     "min": "2011-01-01", "max": "2020-12-31"},
  {"name": "school", "kind": "ordered",  "values": ["none", "primary", "secondary", "tertiary"]},
  {"name": "status", "kind": "category", "values": ["single", "married"]},
  {"name": "ward",   "kind": "category", "values": [0, 1, 2]},
  {"name": "id",     "kind": "drop"}]}
"""


@pytest.fixture(autouse=True)
def _own_places(tmp_path, monkeypatch):
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MARGINALIA_LEDGER", str(tmp_path / "ledger.sqlite"))


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with a small mixed table, its schema and a rule; the current folder of the test."""
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "s.json").write_text(SCHEMA)
    (folder / "r.json").write_text('["if age is 0 to 15 then status is only single"]')
    draw = random.Random(5)
    with (folder / "t.csv").open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow([column["name"] for column in json.loads(SCHEMA)["columns"]])
        for row in range(1500):
            age = draw.randrange(100)
            joined = dt.date(2011, 1, 1) + dt.timedelta(days=draw.randrange(3650))
            status = "single" if age < 18 else draw.choice(["single", "married"])
            income = f"{age * draw.random() * 1000:.2f}" if row % 50 else f"{CANARY}-income"
            school = draw.choice(["none", "primary", "secondary", "tertiary"])
            writer.writerow([age, income, joined, school, status, draw.randrange(3), f"{CANARY}-{row}"])
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def canary():
    return CANARY


@pytest.fixture
def marginalia():
    """Run the command line as its own process, as a user does."""

    def run(*arguments, **environment):
        return subprocess.run(
            [sys.executable, "-m", "synth", *map(str, arguments)],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **environment},
            timeout=600,
        )

    return run


@pytest.fixture(scope="session")
def bundle(tmp_path_factory):
    """A finished release, shared by the tests that only read it, with the table beside it."""
    folder = tmp_path_factory.mktemp("released")
    (folder / "s.json").write_text(SCHEMA)
    draw = random.Random(6)
    for name in ("t.csv", "holdout.csv"):
        with (folder / name).open("w", newline="") as out:
            writer = csv.writer(out)
            writer.writerow([column["name"] for column in json.loads(SCHEMA)["columns"]])
            for row in range(800):
                age = draw.randrange(100)
                school = draw.choice(["none", "primary", "secondary", "tertiary"])
                status = "single" if age < 30 else "married"
                writer.writerow([age, age * 1000, "2015-05-05", school, status, row % 3, row])
    places = {"MARGINALIA_HOME": str(folder / "home"), "MARGINALIA_LEDGER": str(folder / "ledger.sqlite")}
    done = subprocess.run(
        [sys.executable, "-m", "synth", *LINE, "--epsilon", "5"],
        cwd=folder,
        env={**os.environ, **places},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return Path(folder / "out")
