"""A run: a release from the private file, on the account of a budget line. Its order is a `RunSpec`."""

from __future__ import annotations

from synth.app.jobs.kind import Needs, TaskKind
from synth.app.jobs.store import Job, Task
from synth.core.progress import Reporter


def _release(task: Task, report: Reporter) -> None:
    from synth.app.jobs.work import release  # brings numpy, pyarrow and opendp: only once it is our turn

    job = Job(task.folder)
    release(job.spec(), report, job=job)


def _charges(task: Task) -> tuple[int, int]:
    from synth.app.jobs.budget import charged

    return charged(Job(task.folder).spec())


KIND = TaskKind(
    work=_release,
    charges=_charges,
    needs=Needs(slot=True),
    polite=True,
    stopped="The run was stopped. What had been asked stays spent; resume it or discard it.",
    forced="The run was stopped by force. What had been asked stays spent; resume it or discard it.",
    paused="The run was paused: another run kept the ledger busy for longer than this one waits. What had "
    "been asked stays spent; resume it when the other has finished, or discard it.",
    lost="The worker stopped without a final report. What had been asked stays spent; resume the run, "
    "which takes those answers as they are and spends the rest as agreed, or discard it, which gives "
    "the rest back.",
)
