"""The comparison runs in a process of its own, tells bands, and says what became of it."""

import pytest

from synth.app.jobs import runner
from synth.app.jobs.kinds import fitting
from synth.app.jobs.store import State, Task
from tests import conftest

CANARY = "canary-8f2c"
ZIP = {"name": "zip", "kind": "category", "buy": True}
SCHEMA = conftest.SCHEMA | {"columns": [*conftest.SCHEMA["columns"], ZIP]}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{i % 10},{'ab'[i % 2]},z,n" for i in range(90)] + [f"5,{CANARY},z,{CANARY}"] * 20
    path.write_text("age,ward,zip,note\n" + "\n".join(rows) + "\n")
    return path


def task(folder):
    return Task(folder, "fitting")


def test_bands_come_back_and_nothing_else_of_the_file_is_written(tmp_path, table):
    folder = tmp_path / "fit"
    assert runner.find_status(task(folder)) is None
    runner.begin(task(folder), fitting.order(schema=SCHEMA, data=str(table)))
    assert runner.wait(task(folder), seconds=600).state is State.DONE
    found = fitting.read(task(folder))
    assert [(c.column, c.is_good) for c in found.columns] == [("age", True), ("ward", False)]
    assert found.of == fitting.digest_of(SCHEMA, str(table))
    assert folder.stat().st_mode & 0o777 == 0o700
    for path in folder.iterdir():
        assert path.stat().st_mode & 0o077 == 0
        body = path.read_bytes()
        assert CANARY.encode() not in body
        assert b"110" not in body or path.name in ("process.json", "status.json", "order.json")
