"""Delete a project, unless one of its tasks is running.

Removed: the project's folder with its declarations, uploads, synthetic tables, bundles, published or not, and
private evaluations; the folders of its runs, with their orders and the keys of their files.

Kept: the ledger, which is never rewritten. Only the reserved budget that unfinished runs did not use is
released. The noisy measurements stay in the ledger. A decision log is also kept, because views cannot be
undone.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass

from synth.app.jobs import runner
from synth.app.jobs.locks import is_held
from synth.app.jobs.store import Job, State
from synth.app.project import decisions, store
from synth.app.project.results import judging
from synth.app.project.results.publication import count_published
from synth.app.project.spend import ledger
from synth.app.project.store import Project
from synth.core.errors import Mistake

AT_WORK = (
    "A task of this project is still running, so the project was not deleted. Stop the task on the page Run, "
    "or wait until it ends."
)


@dataclass(frozen=True, kw_only=True)
class Remains:
    """The effects of a deletion. `booked` is the number of runs that stay in the ledger, and `share` is their
    part of the lifetime limit, or None if they are about several populations. `unfinished` is the number of
    runs that will be closed. `published` is the number of published packages. `has_log` states whether there
    is a decision log. `lifetime` is the organisation's limit in this project.
    """

    booked: int
    share: float | None
    unfinished: int
    published: int
    has_log: bool
    lifetime: float | None


def remains_of(project: Project) -> Remains:
    """Return the effects of a deletion, which the confirmation shows. Raises: `Refusal` if the ledger cannot
    be read.
    """
    _, entries = ledger.read(ledger.of(project))
    own = {*project.runs, *(task.order()["run"] for task in judging.tasks(project))}
    booked = [entry for entry in entries if entry.run in own]
    lines = {entry.population for entry in booked}
    return Remains(
        booked=len(booked),
        share=sum(entry.share for entry in booked) if len(lines) < 2 else None,
        unfinished=sum(entry.state == "open" for entry in booked),
        published=count_published(project),
        has_log=(project.folder / decisions.FILE).exists(),
        lifetime=project.limits.lifetime,
    )


def delete(project: Project) -> None:
    """Delete a project permanently.

    Raises: `Mistake` while one of its tasks is running, and the ledger's refusal if an unfinished run cannot
    be closed. The project file is removed last, so that an interrupted deletion can be repeated.
    """
    with store.writing(project.id):
        if _is_at_work(project):
            raise Mistake(AT_WORK)
        for job in _unfinished(project):
            runner.discard(job)
        for task in judging.tasks(project):
            judging.discard(task)
        for job in _jobs(project):
            shutil.rmtree(job.folder)
        for path in project.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name not in (decisions.FILE, store.FILE, store.LOCK):
                path.unlink()
        (project.folder / store.FILE).unlink()
        (project.folder / store.LOCK).unlink()
    if not any(project.folder.iterdir()):
        project.folder.rmdir()


def _jobs(project: Project) -> list[Job]:
    """Return the existing job folders of the project's runs."""
    found = []
    for run in project.runs:
        with suppress(Mistake):
            found.append(Job.find(run))
    return found


def _unfinished(project: Project) -> list[Job]:
    """Return the runs that ended early and may still have reserved budget."""
    ends = [(job, runner.status(job)) for job in _jobs(project)]
    return [
        job
        for job, end in ends
        if end.state.is_end and end.state is not State.DONE and end.code != runner.DISCARDED
    ]


def _is_at_work(project: Project) -> bool:
    """Return whether a task of the project has a worker or is waiting for one."""
    if any(not runner.status(job).state.is_end for job in _jobs(project)):
        return True
    return any(is_held(path) for path in project.folder.rglob("lock"))
