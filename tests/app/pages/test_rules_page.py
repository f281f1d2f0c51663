"""The rules page in the journey: counted from declarations, confirmed to go on, read only after a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.project import declared
from synth.app.project import store as projects
from synth.app.project.store import Project
from tests.app.opened import opened


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MARGINALIA_LEDGER", str(tmp_path / "ledger.sqlite"))
    return declared.demo()


def visit(project: Project) -> AppTest:
    projects.save(project)
    return opened("rules", project)


def test_every_rule_of_the_demo_is_counted_without_its_file(demo: Project) -> None:
    test = visit(replace(demo, data="/nowhere/t.csv"))
    assert not test.error
    assert sum("Removes **" in c.value for c in test.caption) == len(demo.rules)
    assert len(test.get("plotly_chart")) == len(demo.rules)
    assert all(chart.proto.alt.startswith("Grid of") for chart in test.get("plotly_chart"))
