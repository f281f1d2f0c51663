"""A page of its own for a piece: drawn on a project of this test's home, saved and opened by its address."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from synth.ui import project as projects
from synth.ui.project import Project

SCHEMA: dict[str, Any] = {
    "name": "mine",
    "population": "town",
    "unit": {"max_rows": 1},
    "columns": [
        {"name": "age", "kind": "integer", "min": 0, "max": 9},
        {"name": "ward", "kind": "category", "values": ["a", "b"], "blank": False},
        {"name": "note", "kind": "drop"},
    ],
}

Draw = Callable[[Callable[[], None], Project], AppTest]


@pytest.fixture
def desk_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a data folder for one test."""
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MARGINALIA_LEDGER", str(tmp_path / "ledger.sqlite"))
    monkeypatch.setenv("MARGINALIA_FOLDER", str(tmp_path / "tables"))
    (tmp_path / "tables").mkdir()
    return tmp_path


@pytest.fixture
def draw(desk_home: Path) -> Draw:
    """Run a page function on a project; nothing may be raised."""

    def opened(page: Callable[[], None], project: Project) -> AppTest:
        projects.save(project)
        app = AppTest.from_function(page, default_timeout=30)
        app.query_params["p"] = project.id
        app.run()
        assert not app.exception
        return app

    return opened


@pytest.fixture
def mine(desk_home: Path) -> Callable[..., Project]:
    """A project on a table that does not exist, with the declarations given."""

    def made(**facts: Any) -> Project:
        given: dict[str, Any] = {"name": "mine", "schema": SCHEMA, "data": "/nowhere/t.csv"} | facts
        return Project(id=projects.fresh_id(), origin=projects.Origin.PATH, **given)

    return made
