"""Start, watch, stop and resume runs: each is a process of its own that survives its starter.

The command line and the app use these functions and nothing else. A run's truth lies in its folder and in
the ledger, so a reload, a restart or a kill of the starter changes nothing.
"""

from __future__ import annotations

import signal
import time
from dataclasses import replace
from pathlib import Path

from synth.errors import Cancelled, Mistake
from synth.jobs.launch import launch
from synth.jobs.locks import hold
from synth.jobs.spec import RunSpec
from synth.jobs.store import Job, State, Status, now

EXIT_LOST = 6
DISCARDED = "discarded"
PATIENCE_SECONDS = 10.0  # between asking to stop, SIGTERM and SIGKILL
WORKER = "synth.jobs.worker"


def start(spec: RunSpec) -> Job:
    """Create the job folder and start its worker.

    Raises: `Mistake` if the run exists or its place for the bundle is taken.
    """
    check_place(Path(spec.out))
    job = Job.create(spec)
    launch(job, WORKER)
    return job


def resume(job: Job, *, other_people: bool = False) -> Job:
    """Start a worker for a run that ended early; what it had asked before is answered again for nothing, and
    the rest of what it reserved is spent as agreed.

    `other_people` is the steward's answer to a run that found its file released under another population.

    Raises: `Mistake` if the run is still at work or is done.
    """
    seen = status(job)
    if not seen.state.is_end:
        raise Mistake(f"The run {job.run!r} is still at work. Watch it with: jobs status {job.run}.")
    if seen.state is State.DONE:
        raise Mistake(f"The run {job.run!r} is done; there is nothing to resume.")
    if seen.code == DISCARDED:
        raise Mistake(f"The run {job.run!r} was discarded. Start a new run.")
    if other_people:
        job.say_other_people()
    job.forget_stop()
    job.write_status(Status(state=State.QUEUED, spent=seen.spent, reserved=seen.reserved, at=now()))
    launch(job, WORKER)
    return job


def cancel(job: Job, *, force: bool = False) -> None:
    """Ask a run to stop between two rounds; with `force` send SIGTERM at once.

    Whoever watches the run (`status`, `wait`) sends SIGTERM ten seconds after the asking and SIGKILL ten
    seconds later. What was charged stays charged and can be used by `resume`.
    """
    job.ask_to_stop()
    process = job.process()
    if force and process is not None:
        process.signal(signal.SIGTERM)
    status(job)


def status(job: Job) -> Status:
    """Where the run is; also presses a stop that is overdue and gives a dead worker its honest end."""
    process = job.process()
    if process is not None:
        process.reap()
    seen = job.status()
    if seen.state.is_end:
        return seen
    if job.is_alive():
        _press(job)
        return seen
    with hold(job.lock) as free:
        if not free:
            return seen
        seen = job.status()  # it may have ended while we looked
        if not seen.state.is_end:
            seen = _end_of_the_dead(job, seen)
            job.write_status(seen)
    return seen


def wait(job: Job, *, seconds: float = float("inf")) -> Status:
    """Watch until the run ends or the time is over."""
    deadline = time.monotonic() + seconds
    while not (seen := status(job)).state.is_end and time.monotonic() < deadline:
        time.sleep(0.05)
    return seen


def discard(job: Job) -> Status:
    """Close an ended run in the ledger: what was reserved and never charged is free again.

    Raises: `Mistake` if the run is still at work.
    """
    seen = status(job)
    if not seen.state.is_end:
        raise Mistake(f"The run {job.run!r} is still at work. Cancel it first: jobs cancel {job.run}.")
    from synth.jobs.budget import close

    if seen.state is State.DONE:
        raise Mistake(f"The run {job.run!r} is done; it holds nothing back.")
    spent = close(job.spec())
    sentence = "The run was discarded. What had been asked stays spent, the rest is free again."
    seen = replace(seen, code=DISCARDED, sentence=sentence, spent=spent, reserved=spent, at=now())
    job.write_status(seen)
    return seen


def check_place(out: Path) -> None:
    """Raises: `Mistake` if a bundle cannot be put there: a file, or a folder with something in it."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise Mistake(f"{str(out)!r} is not an empty folder. Name a new one, so that nothing gets mixed.")


def _press(job: Job) -> None:
    overdue = job.stopping_for()
    process = job.process()
    if process is None or overdue < PATIENCE_SECONDS:
        return
    process.signal(signal.SIGKILL if overdue >= 2 * PATIENCE_SECONDS else signal.SIGTERM)


def _end_of_the_dead(job: Job, seen: Status) -> Status:
    from synth.jobs.budget import charged

    spent, reserved = charged(job.spec())
    if job.is_asked_to_stop():
        state, code, exit_code = State.CANCELLED, "cancelled", Cancelled.exit_code
        sentence = "The run was stopped by force. What had been asked stays spent; resume it or discard it."
    else:
        state, code, exit_code = State.LOST, "lost", EXIT_LOST
        sentence = (
            "The worker stopped without a final report. What had been asked stays spent; resume the run, "
            "which takes those answers as they are and spends the rest as agreed, or discard it, which gives "
            "the rest back."
        )
    return replace(
        seen,
        state=state,
        code=code,
        sentence=sentence,
        exit_code=exit_code,
        spent=spent,
        reserved=reserved,
        place=0,
        at=now(),
    )
