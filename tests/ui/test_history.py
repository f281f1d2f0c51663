"""Earlier runs are told as they stand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from synth.figures.ledger import runs as runs_table
from synth.jobs.store import Job, State, Status
from synth.ui import declared, desk, history
from synth.ui.project import Budget, Method


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MARGINALIA_LEDGER", str(tmp_path / "ledger.sqlite"))


def test_the_latest_comes_first_with_its_own_choices() -> None:
    runs = []
    for epsilon, state in ((0.5, State.CANCELLED), (2.0, State.DONE)):
        project = replace(declared.demo(), budget=Budget(epsilon=epsilon), method=Method(name="aim"))
        job = Job.create(desk.spec_of(project))
        job.write_status(Status(state=state, spent=10**9, at="2026-11-21T10:00:00+00:00"))
        runs.append(job.run)
    found = history.read(runs)
    assert [(o.epsilon, o.state) for o in found] == [(2.0, State.DONE), (0.5, State.CANCELLED)]
    frame = runs_table(found).table
    assert frame["State"].tolist() == ["finished", "stopped"]
    assert frame["Spent"].tolist() == ["rho 0.001"] * 2
    assert frame["Last news (UTC)"][0] == "2026-11-21 10:00"
