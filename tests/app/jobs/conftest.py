import json
import random
import time
from dataclasses import replace
from pathlib import Path

import pytest

from synth.app.jobs import runner
from synth.app.jobs.spec import RunSpec
from synth.app.jobs.store import Job
from synth.app.jobs.work import release
from synth.core.progress import silent
from tests import survey

SCHEMA = json.loads(survey.SCHEMA)


@pytest.fixture(autouse=True)
def _own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MARGINALIA_LEDGER", str(tmp_path / "ledger.sqlite"))


def spec_of(tmp_path, **facts):
    usual = {"epsilon": 1.0, "delta": 1e-9, "lifetime_epsilon": 10.0}
    places = {"out": str(tmp_path / "out"), "ledger": str(tmp_path / "ledger.sqlite")}
    return RunSpec(**usual | places | facts)


@pytest.fixture
def spec(tmp_path):
    """A run that is good enough for everything but the pipeline."""
    schema, rules = {"name": "s", "columns": [{"name": "é"}]}, ["if a is b then c is only d"]
    facts = {"data": "/d/t.csv", "population": "p", "options": {"rounds": 3}, "seed": 7}
    return spec_of(tmp_path, run="r-1", schema=schema, rules=rules, **facts)


@pytest.fixture
def toy(tmp_path):
    """A run on a small mixed table with a canary in its name, in a dropped column and in strange cells.

    It never stops for cells that do not fit: of so few rows, noise alone may seem to be too many.
    """
    data = str(survey.write(tmp_path / f"{survey.CANARY}.csv"))
    rules = {"rules": ["if age is 0 to 15 then status is only single"]}
    facts = {"population": "survey-2024", "method": "aim", "rows": 500, "seed": 11, "most_unfit": 1.0}
    return spec_of(tmp_path, run="toy-1", data=data, schema=SCHEMA, rules=rules, **facts)


@pytest.fixture
def finished(toy):
    """A finished run on the toy table, which is gone."""
    job = Job.create(replace(toy, method="mst"))
    release(job.spec(), silent)
    Path(toy.data).unlink()
    return job


@pytest.fixture
def wide(toy, tmp_path):
    """A run that asks for long, whatever the noise: forty columns together, 39 times for one pair more of a
    tree, and for these pairs together."""
    names = [f"c{i:02}" for i in range(40)]
    draw = random.Random(7)
    path = tmp_path / "wide.csv"
    rows = [",".join(draw.choice("ab") for _ in names) for _ in range(300)]
    path.write_text("\n".join([",".join(names), *rows]) + "\n")
    columns = [{"name": name, "kind": "category", "values": ["a", "b"]} for name in names]
    schema = {**SCHEMA, "columns": columns}
    return replace(toy, data=str(path), schema=schema, method="mst", rules=None, rows=100)


@pytest.fixture
def canary():
    return survey.CANARY


@pytest.fixture
def until():
    """Watch a job until something holds; fails after ten minutes."""

    def watch(job, holds):
        deadline = time.monotonic() + 600
        while not holds(runner.status(job)):
            assert time.monotonic() < deadline, runner.status(job)
            time.sleep(0.001)

    return watch
