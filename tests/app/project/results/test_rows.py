"""Files of rows of a release: what they would take, and what keeps them from being asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from synth.app.jobs.store import Job
from synth.app.project.results import rows
from synth.app.project.store import Project
from synth.core.errors import Mistake
from synth.release.rows import LEFT_FREE, checks_beside


@pytest.fixture
def held(twice: Callable[[], Project]) -> tuple[Project, str, Path]:
    """A project, a run of it, and the run's bundle."""
    project = twice()
    return project, project.runs[-1], Path(Job.find(project.runs[-1]).spec().out)


def test_what_the_disk_has_no_room_for_is_not_begun(
    held: tuple[Project, str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    project, run, bundle = held
    monkeypatch.setattr(rows, "_free", lambda folder: 5_000_000)
    with pytest.raises(Mistake, match="has 5 MB left"):
        rows.ask(project, run, bundle, rows=10**9, form="csv")
    monkeypatch.setattr(rows, "_free", lambda folder: LEFT_FREE + 100)
    with pytest.raises(Mistake, match="1,000 MB left, of which 1,000 MB stay free"):
        rows.ask(project, run, bundle, rows=10**6, form="csv")
    assert rows.under_way(project, run) is None


def test_what_the_checks_of_a_file_say_is_known_of_each_file(held: tuple[Project, str, Path]) -> None:
    project, run, _ = held
    place = rows.task_of(project, run).folder / "files"
    place.mkdir(parents=True)
    flag = {"code": "x", "sentence": "Bad rows.", "blocks": True, "columns": [], "advice": ""}
    told = {
        "synthetic-1.csv": {"flags": []},
        "synthetic-2.csv": {"flags": [flag | {"blocks": False}]},
        "synthetic-3.csv": {"flags": [flag]},
        "synthetic-4.csv": None,
        "synthetic-5.csv": [],
    }
    for name, checks in told.items():
        (place / name).write_text("a")
        if checks is not None:
            checks_beside(place / name).write_text(json.dumps(checks))
    found = rows.files(project, run)
    assert [file.is_blocked for file in found] == [False, False, True, True, True]
    assert [[flag.sentence for flag in file.flags] for file in found[:3]] == [
        [],
        ["Bad rows."],
        ["Bad rows."],
    ]
    assert "are missing" in found[3].flags[0].sentence
