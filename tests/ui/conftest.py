"""A page of its own for a piece: drawn on a project of this test's home, saved and opened by its address."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from synth.jobs.spec import RunSpec, fresh_seed
from synth.jobs.store import Job, State, Status
from synth.jobs.work import release
from synth.progress import silent
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
        app = AppTest.from_function(page, default_timeout=600)
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


@pytest.fixture
def twice(desk_home: Path, mine: Callable[..., Project]) -> Callable[[], Project]:
    """A saved project on a table of four hundred rows with two finished runs."""

    def made() -> Project:
        table, draw = desk_home / "tables" / "town.csv", random.Random(1)
        rows = [f"{age},{'ab'[age > 4]},canary-note" for age in (draw.randrange(10) for _ in range(400))]
        table.write_text("\n".join(["age,ward,note", *rows]) + "\n")
        project = mine(data=str(table), runs=("run-1", "run-2"), drafting=False)
        for run, epsilon in zip(project.runs, (0.5, 2.0), strict=True):
            spec = RunSpec(
                run=run,
                data=project.data,
                schema=project.schema,
                population=project.schema["population"],
                epsilon=epsilon,
                delta=1e-7,
                method="independent",
                seed=fresh_seed(),
                out=str(project.folder / "releases" / run),
                ledger=str(desk_home / "ledger.sqlite"),
                lifetime_epsilon=8.0,
            )
            job = Job.create(spec)
            release(spec, silent)
            job.write_status(Status(state=State.DONE, done=1.0))
        projects.save(project)
        return project

    return made
