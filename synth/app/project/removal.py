"""Deleting a project: what goes, what stays, and that nothing is deleted while it is at work.

What goes: the project's folder with its declarations, uploads, synthetic tables, bundles, published or not,
and the files of the steward's view; the folders of its runs, with their orders and the keys of their files.

What stays: the ledger, whole. It is the record of what was asked about people and is never rewritten, so
nothing is given back but what unfinished runs had reserved and never asked; the noisy answers that were paid
for lie in it, too. The decision log stays where there is one: whoever has seen exact numbers has seen them.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass

from synth.app.jobs import runner
from synth.app.jobs.locks import is_held
from synth.app.jobs.store import Job, State
from synth.app.project import decisions, store
from synth.app.project.results.publication import count_published
from synth.app.project.spend import ledger
from synth.app.project.store import Project
from synth.core.errors import Mistake

AT_WORK = (
    "Something of this project is still at work. Stop it on the page Run, or wait until it is done; then "
    "delete the project."
)


@dataclass(frozen=True, kw_only=True)
class Remains:
    """What a deletion concerns. `booked` runs stay in the ledger; `share` is what they have of the lifetime
    limit in all, None where they are about several populations. `unfinished` ones are closed. `published`
    counts the bundles that have left, `has_log` says that there is a decision log, `lifetime` is a limit of
    the organisation that is stated here."""

    booked: int
    share: float | None
    unfinished: int
    published: int
    has_log: bool
    lifetime: float | None


def remains_of(project: Project) -> Remains:
    """What the confirmation tells. Raises: `Refusal` if the ledger cannot be read."""
    _, entries = ledger.read(ledger.of(project))
    booked = [entry for entry in entries if entry.run in project.runs]
    lines = {entry.population for entry in booked}
    return Remains(
        booked=len(booked),
        share=sum(entry.share for entry in booked) if len(lines) < 2 else None,
        unfinished=len(_unfinished(project)),
        published=count_published(project),
        has_log=(project.folder / decisions.FILE).exists(),
        lifetime=project.limits.lifetime,
    )


def delete(project: Project) -> None:
    """Delete a project for good. What cannot be told of it any more, `remains_of` tells before.

    Raises: `Mistake` while something of it is at work; the ledger's refusal if an unfinished run cannot be
    closed. The project itself goes last, so that what stopped halfway can be done again.
    """
    with store.writing(project.id):
        if _is_at_work(project):
            raise Mistake(AT_WORK)
        for job in _unfinished(project):
            runner.discard(job)
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
    """The folders of the project's runs that are there."""
    found = []
    for run in project.runs:
        with suppress(Mistake):
            found.append(Job.find(run))
    return found


def _unfinished(project: Project) -> list[Job]:
    """Runs that ended early and may still hold back what they reserved."""
    ends = [(job, runner.status(job)) for job in _jobs(project)]
    return [
        job
        for job, end in ends
        if end.state.is_end and end.state is not State.DONE and end.code != runner.DISCARDED
    ]


def _is_at_work(project: Project) -> bool:
    """Whether a run or any other task of the project has a worker, or waits for one."""
    if any(not runner.status(job).state.is_end for job in _jobs(project)):
        return True
    return any(is_held(path) for path in project.folder.rglob("lock"))
