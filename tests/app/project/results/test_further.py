"""A wish for another table is logged where somebody has seen exact numbers, and only there."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from synth.app.jobs import runner
from synth.app.jobs.store import Job, State, Status, Task
from synth.app.jobs.work import release
from synth.app.project import decisions, runs
from synth.app.project.results import further
from synth.app.project.store import Project
from synth.core.progress import silent
from synth.mechanisms.mst import MST
from synth.mechanisms.shared.recipe import followers


def choices(project: Project) -> list[str]:
    return [e.sentence for e in decisions.log(project) if e.kind is decisions.DecisionKind.CHOICE]


def with_a_run_by(method: str, project: Project) -> Project:
    """The project with a third run, finished."""
    spec = Job.find("run-2").spec()
    job = Job.create(replace(spec, run="run-3", method=method, out=f"{spec.out}-3"))
    release(job.spec(), silent)
    job.write_status(Status(state=State.DONE, done=1.0))
    return replace(project, runs=(*project.runs, "run-3"))


@pytest.mark.parametrize("looked", [False, True])
def test_a_choice_after_a_look_is_written_down(looked: bool, twice: Callable[[], Project]) -> None:
    project = with_a_run_by("mst", twice())
    if looked:
        decisions.record_look(project, "Looked.")
    third = runs.tables(project)[-1]
    others = tuple(name for name in followers(MST) if name != MST.generator)
    assert further.open_to(Job.find("run-3").spec()) == others
    further.ask(project, third, generators=["independent"], rows=10)
    assert len(choices(project)) == looked
    assert all("run 3" in sentence and "10 rows" in sentence for sentence in choices(project))
    deadline = time.monotonic() + 600
    while not runner.find_status(Task(project.folder / "again" / third.source, "further")).state.is_end:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert runs.tables(project)[-1].run == "run-3-independent"
    assert further.open_to(Job.find("run-3").spec()) == tuple(n for n in others if n != "independent")
