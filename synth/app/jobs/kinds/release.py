"""Run a release from the private file, charged to a lifetime budget. The order is a `RunSpec`."""

from __future__ import annotations

from pathlib import Path

from synth.app.jobs.kind import TaskKind
from synth.app.jobs.store import Job, Task
from synth.core.errors import Code, Refusal
from synth.core.progress import Reporter


def _release(task: Task, report: Reporter) -> None:
    from synth.app.jobs.work import release  # imports numpy, pyarrow and opendp, so only after the wait

    job = Job(task.folder)
    release(job.spec(), report, job=job)


def _charges(task: Task) -> tuple[int, int]:
    from synth.app.jobs.budget import charged

    spec = Job(task.folder).spec()
    return charged(Path(spec.ledger), spec.run)


KIND = TaskKind(
    work=_release,
    charges=_charges,
    queues=True,
    polite=True,
    stopped=(
        "The run was stopped. Budget for the queries that were made stays spent. Resume the run, or "
        "discard it."
    ),
    forced=(
        "The run was stopped by force. Budget for the queries that were made stays spent. Resume the run, "
        "or discard it."
    ),
    paused=(
        "The run was paused: another run kept the ledger locked for too long. Budget for the queries "
        "that were made stays spent. Resume this run when the other run has finished, or discard it."
    ),
    lost=(
        "The worker stopped without a report. Budget for the queries that were made stays spent. Resume "
        "the run to continue from the saved measurements, or discard it to release the unused budget."
    ),
    failed=str(Refusal(Code.INTERNAL)),
)
