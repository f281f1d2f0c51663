"""The process of one run: `python -m synth.jobs.worker JOBDIR`.

It holds the job's lock for its life, waits for its turn, runs the pipeline, writes the bundle, and ends with
an honest status. It says nothing on its own output, which nobody reads.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from synth.errors import BudgetRefused, Cancelled, Code, MarginaliaError, Refusal
from synth.jobs.hardening import fault, fresh_reference, harden
from synth.jobs.known import CODE as KNOWN_FILE
from synth.jobs.known import KnownFile
from synth.jobs.locks import hold
from synth.jobs.process import Process
from synth.jobs.queue import turn
from synth.jobs.spec import RunSpec
from synth.jobs.store import Job, State, Status, now
from synth.jobs.vigil import heart, tell, terminable

if TYPE_CHECKING:
    from synth.progress import Reporter

Release = Callable[[RunSpec, "Reporter"], None]
"""Does a whole run; what `synth.jobs.work.release` is."""


def main(arguments: list[str] | None = None) -> int:
    """Entry of the process. Returns the exit code of the end status; 0 too if another worker has the run."""
    harden()
    (folder,) = sys.argv[1:] if arguments is None else arguments
    job = Job(Path(folder))
    return run(job, lambda spec, report: _release(spec, report, job))


def _release(spec: RunSpec, report: Reporter, job: Job) -> None:
    from synth.jobs.work import release  # brings numpy, pyarrow and opendp: only once it is our turn

    release(spec, report, job=job)


def run(job: Job, release: Release) -> int:
    """Hold the job, do the work, write the end. Returns the exit code."""
    with hold(job.lock, patience=2.0) as free:
        if not free:
            return 0
        job.write_process(Process.of(os.getpid()))
        with heart(job), terminable(job):
            end = _attempt(job, release)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # too late to stop: the end is being written
            job.write_status(_with_charges(job, end))
        return end.exit_code


def _attempt(job: Job, release: Release) -> Status:
    try:
        spec = job.spec()
        with turn(job, waiting=lambda place: _wait_in_line(job, place)):
            job.write_status(Status(state=State.RUNNING, at=now()))
            release(spec, lambda progress: tell(job, progress))
        return Status(state=State.DONE, done=1.0, stage="done", at=now())
    except MarginaliaError as error:
        return _ended_by(job, error)
    except Exception as error:
        reference = fresh_reference()
        job.write_fault(fault(error, reference))
        return replace(_ended_by(job, Refusal(Code.INTERNAL)), exit_code=1, reference=reference)


def _ended_by(job: Job, error: MarginaliaError) -> Status:
    """The end an error stands for; a refusal that only follows from being stopped is a stop."""
    if isinstance(error, Cancelled) or (isinstance(error, Refusal) and job.is_asked_to_stop()):
        sentence = "The run was stopped. What had been asked stays spent; resume it or discard it."
        return _end(State.CANCELLED, "cancelled", sentence, Cancelled.exit_code)
    if isinstance(error, Refusal) and error.code is Code.LEDGER_BUSY:
        sentence = (
            "The run was paused: another run kept the ledger busy for longer than this one waits. What had "
            "been asked stays spent; resume it when the other has finished, or discard it."
        )
        return _end(State.PAUSED, error.code.value, sentence, Cancelled.exit_code)
    if isinstance(error, BudgetRefused):
        end = _end(State.FAILED, "budget_refused", str(error), error.exit_code)
        return replace(end, requested=error.requested, left=error.left, missing=error.missing)
    if isinstance(error, KnownFile):
        return _end(State.FAILED, KNOWN_FILE, str(error), error.exit_code)
    code = error.code.value if isinstance(error, Refusal) else "mistake"
    return _end(State.FAILED, code, str(error), error.exit_code)


def _end(state: State, code: str, sentence: str, exit_code: int) -> Status:
    return Status(state=state, code=code, sentence=sentence, exit_code=exit_code, at=now())


def _with_charges(job: Job, end: Status) -> Status:
    from synth.jobs.budget import charged

    try:
        spent, reserved = charged(job.spec())
    except MarginaliaError:
        return end
    end = replace(end, spent=spent, reserved=reserved)
    if end.state is State.DONE:
        return end
    last = job.status()
    return replace(end, stage=last.stage, done=last.done, fact=last.fact)


def _wait_in_line(job: Job, place: int) -> None:
    if job.is_asked_to_stop():
        raise Cancelled("The run was stopped.")
    if job.status().place != place:
        job.write_status(Status(state=State.QUEUED, place=place, at=now()))


if __name__ == "__main__":
    sys.exit(main())
