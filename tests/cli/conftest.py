import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import survey

LINE = (
    *("release", "--data", "t.csv", "--schema", "s.json", "--epsilon", "1", "--delta", "1e-9"),
    *("--lifetime-epsilon", "10", "--out", "out", "--yes"),
)
"""A release as it is typed in the folder of `workdir`; what is typed after it wins."""


@pytest.fixture(autouse=True)
def _own_places(tmp_path, monkeypatch):
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MARGINALIA_LEDGER", str(tmp_path / "ledger.sqlite"))


@pytest.fixture
def workdir(tmp_path, monkeypatch):
    """A folder with a small mixed table, its schema and a rule; the current folder of the test."""
    folder = tmp_path / "workdir"
    folder.mkdir()
    (folder / "s.json").write_text(survey.SCHEMA)
    (folder / "r.json").write_text('["if age is 0 to 15 then status is only single"]')
    survey.write(folder / "t.csv")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def canary():
    return survey.CANARY


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
    (folder / "s.json").write_text(survey.SCHEMA)
    for seed, name in enumerate(("t.csv", "holdout.csv")):
        survey.write(folder / name, rows=800, seed=seed)
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
