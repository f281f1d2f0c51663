"""Deleting takes what is said, leaves what is said, and waits for what is at work."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from synth.app.jobs.store import Job, State, Status, Task
from synth.app.project import decisions, declared, merging, opening, removal
from synth.app.project import store as projects
from synth.app.project.spend import ledger
from synth.app.project.store import Limits, Project
from synth.core.accounting import GAUSSIAN
from synth.core.errors import Mistake
from synth.core.schema import ProtectedChange
from synth.private.ledger import Ledger

Twice = Callable[[], Project]


def test_what_goes_and_what_stays(twice: Twice, project_home: Path) -> None:
    project = replace(twice(), limits=Limits(lifetime=4.0))
    other = opening.begin("other", rehearsal=False)
    projects.save(other)
    (project.folder / "private-1.csv").write_text("canary")
    (project.folder / "published" / "run-1").mkdir(parents=True)
    (project.folder / "published" / "run-1" / "CHECKSUMS.sha256").write_text("")
    book = (project_home / "ledger.sqlite").read_bytes()
    remains = removal.remains_of(project)
    line = ledger.line_of(project)
    assert (remains.booked, remains.unfinished) == (2, 0)
    assert remains.share == pytest.approx(line.spent / (line.limit or 0))
    assert (remains.published, remains.has_log, remains.lifetime) == (1, False, 4.0)
    removal.delete(project)
    assert not project.folder.exists() and not list((project_home / "home" / "jobs").iterdir())
    assert projects.find(project.id) is None and projects.find(other.id) == other
    assert (project_home / "ledger.sqlite").read_bytes() == book
    assert (project_home / "tables" / "town.csv").exists()
    assert ledger.line_of(project) == line


def test_the_log_of_looks_outlives_the_project(twice: Twice) -> None:
    project = twice()
    decisions.record_look(project, decisions.steward_look(["Run 1"]))
    log = decisions.log(project)
    assert removal.remains_of(project).has_log
    removal.delete(project)
    assert [path.name for path in project.folder.iterdir()] == [decisions.FILE]
    assert decisions.log(project) == log


def test_an_unfinished_run_is_closed_and_gives_back_what_it_never_asked(twice: Twice) -> None:
    project = twice()
    spec = replace(Job.find("run-2").spec(), run="run-3", out=str(project.folder / "releases" / "run-3"))
    Job.create(spec).write_status(Status(state=State.PAUSED))
    with closing(Ledger(ledger.of(project))) as book:
        for run, units in ((spec.run, 1000), ("judge-1", 500)):
            protects = ProtectedChange(max_rows=1)
            book.open_run(spec.population, run, units=units, label="t", law=GAUSSIAN, protects=protects)
    task = Task(project.folder / "judging" / "run-2", "judging")
    task.folder.mkdir(parents=True)
    task.write_order({"ledger": str(ledger.of(project)), "run": "judge-1"})
    task.write_status(Status(state=State.LOST))
    project = replace(project, runs=(*project.runs, "run-3"))
    projects.save(project)
    before = ledger.line_of(project)
    assert (before.reserved, removal.remains_of(project).unfinished) == (1500, 2)
    removal.delete(project)
    after = ledger.line_of(project)
    assert (after.reserved, after.spent) == (0, before.spent)


def test_a_deletion_that_stopped_can_be_repeated(twice: Twice, monkeypatch: pytest.MonkeyPatch) -> None:
    project, remove = twice(), removal.shutil.rmtree
    seen: list[Path] = []

    def failing(path: Path) -> None:
        seen.append(path)
        if len(seen) == 2:
            raise OSError("the disk")
        remove(path)

    monkeypatch.setattr(removal.shutil, "rmtree", failing)
    with pytest.raises(OSError, match="the disk"):
        removal.delete(project)
    assert projects.find(project.id) == project
    assert removal.remains_of(project).booked == 2
    removal.delete(project)
    assert not project.folder.exists()


def test_another_window_does_not_bring_a_deleted_project_back() -> None:
    project = declared.demo()
    projects.save(project)
    removal.delete(project)
    with pytest.raises(Mistake, match="deleted"):
        merging.save(replace(project, purpose="again"), before=project)
    assert projects.find(project.id) is None
