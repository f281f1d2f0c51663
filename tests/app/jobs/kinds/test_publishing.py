"""A run is published by a process of its own: checked before it counts, in one step, and never twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from synth.app.jobs import runner
from synth.app.jobs.kinds import publishing
from synth.app.jobs.store import State, Status, Task
from synth.app.project import runs
from synth.app.project.store import Project
from synth.release import publish as gate
from synth.release.documents.statement import Imprint
from synth.release.verify import verify

WORDS = Imprint(
    purpose="Teaching.",
    licence="CC0",
    contact="x@y.z",
    approvers=("A. Steward",),
    decisions=("2026-01-01: Looked.",),
)


@pytest.fixture
def bundle(twice: Callable[[], Project]) -> Path:
    """A finished run."""
    return runs.finished(twice())[0].folder


def task(folder: Path) -> Task:
    return Task(folder, "publishing")


def start(folder: Path, *, source: Path, place: Path, imprint: Imprint) -> None:
    runner.begin(task(folder), publishing.order(source=source, place=place, imprint=imprint))


def ended(folder: Path, *, seconds: float = 600) -> Status:
    status = runner.wait(task(folder), seconds=seconds)
    assert status.state.is_end, status
    return status


def test_what_the_process_writes_is_what_the_gate_writes(tmp_path: Path, bundle: Path) -> None:
    folder, place = tmp_path / "publishing", tmp_path / "published" / "r1"
    assert runner.find_status(task(folder)) is None
    start(folder, source=bundle, place=place, imprint=WORDS)
    assert ended(folder).state is State.DONE
    assert verify(place).ok
    gate.publish(bundle, tmp_path / "again", imprint=WORDS)
    written = {p.relative_to(place): p.read_bytes() for p in place.rglob("*") if p.is_file()}
    assert written == {
        p.relative_to(tmp_path / "again"): p.read_bytes()
        for p in (tmp_path / "again").rglob("*")
        if p.is_file()
    }
    assert folder.stat().st_mode & 0o777 == 0o700
    assert not (folder / "draft").exists()
    stages = [event.stage for event in task(folder).events()]
    assert stages == ["check", "write", "verify"]
