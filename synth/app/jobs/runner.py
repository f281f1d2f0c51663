"""Start, watch, stop and resume tasks. Each task has a worker process, which outlives the calling process.

The state of a task is stored in its folder and, for a run, also in the ledger. So the task is not affected if
a page is reloaded or the calling process is restarted or killed.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from synth.app.jobs.executor import LOCAL
from synth.app.jobs.kinds import KINDS
from synth.app.jobs.locks import hold
from synth.app.jobs.spec import ELSEWHERE, RunSpec
from synth.app.jobs.store import Job, State, Status, Task, now
from synth.core.errors import Cancelled, Mistake, NothingFound, Unfit
from synth.release.layout import CHECKSUMS
from synth.release.place import check_place, writing

_EXIT_LOST = 6
DISCARDED = "discarded"
PATIENCE_SECONDS = 10.0  # between the request to stop, SIGTERM and SIGKILL


def start(spec: RunSpec) -> Job:
    """Create the job folder of a run, and start its worker.

    Raises: `Mistake` if the run exists, or if `release.place.check_place` refuses the folder of its bundle.
    """
    check_place(Path(spec.out))
    job = Job.create(spec)
    LOCAL.start(job)
    return job


def begin(task: Task, order: Mapping[str, Any]) -> None:
    """Start a task of a project in its own folder, and remove the files of the previous task.

    Raises: `Mistake` if the previous task is still running.
    """
    task.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    last = find_status(task)
    if last is not None and not last.state.is_end:
        raise Mistake(KINDS[task.kind].busy)
    task.forget()
    task.write_order(order)
    task.write_status(Status(state=State.QUEUED, at=now()))
    LOCAL.start(task)


def resume(
    job: Job, *, out: Path | None = None, other_people: bool = False, continue_unfit: bool = False
) -> Job:
    """Start a worker for a run that ended early. The worker reuses saved measurements without a charge, and
    spends the rest of the reserved budget as agreed.

    `out` is another folder for the bundle. `other_people` confirms that the people in the file are not those
    of another population that released the same file. `continue_unfit` continues a run that stopped because
    its table does not fit the declaration.

    Raises: `Mistake` if the run is running or done, or if its bundle cannot be written to its folder.
    """
    end = status(job)
    if not end.state.is_end:
        raise Mistake(f"The run {job.run!r} is still running. Watch it with: jobs status {job.run}.")
    if end.state is State.DONE:
        raise Mistake(f"The run {job.run!r} is finished. Start a new run.")
    if end.code == NothingFound.code:
        raise Mistake(
            f"Resuming the run {job.run!r} would fail again. {end.sentence} Release its unused budget "
            f"(ledger discard {job.run}) and start a new run."
        )
    if end.code == DISCARDED:
        raise Mistake(f"The run {job.run!r} was discarded. Start a new run.")
    if end.code == Unfit.code and not (continue_unfit or job.accepts_unfit):
        raise Mistake(
            f"The run {job.run!r} would stop again. {end.sentence} To continue anyway, add --continue-unfit. "
            f"To release the rest of its budget: marginalia ledger discard {job.run}"
        )
    if continue_unfit:
        job.accept_unfit()
    again(job, other_people=other_people, before=lambda: _check_place(job, out))
    return job


def again(task: Task, *, other_people: bool = False, before: Callable[[], None] = lambda: None) -> None:
    """Start a worker for a task that ended early, with the same order. `before` can raise an exception to
    prevent this.

    Raises: `Mistake` while the task is running.
    """
    end = status(task)
    with hold(task.lock) as is_free:
        if not is_free or not end.state.is_end or task.status() != end:  # started meanwhile
            raise Mistake(KINDS[task.kind].busy)
        before()
        if other_people:
            task.say_other_people()
        task.forget_worker()
        task.write_status(Status(state=State.QUEUED, spent=end.spent, reserved=end.reserved, at=now()))
    LOCAL.start(task)


def cancel(task: Task, *, force: bool = False) -> None:
    """Request that a task stop between two steps. With `force`, or if its kind is not polite, stop it
    immediately.

    `status` and `wait` interrupt it ten seconds after the request, and kill it ten seconds later. A run's
    charges stay, and `resume` can reuse its measurements.
    """
    task.ask_to_stop()
    if force or not KINDS[task.kind].polite:
        LOCAL.stop(task)
    status(task)


def status(task: Task) -> Status:
    """Enforce an overdue stop, end the task if its worker is dead, and return the status of the task."""
    LOCAL.clear(task)
    last = task.status()
    if last.state.is_end:
        return last
    if LOCAL.is_alive(task):
        _press(task)
        return last
    with hold(task.lock) as is_free:
        last = task.status()  # it may have ended meanwhile
        if is_free and not last.state.is_end:
            last = _end_of_the_dead(task, last)
            task.write_status(last)
    return last


def find_status(task: Task) -> Status | None:
    """Return the status of the task, or None if no task was started in its folder."""
    return status(task) if task.exists else None


def wait(task: Task, *, seconds: float = float("inf")) -> Status:
    """Wait until the task ends, for at most this number of seconds. Return the last status."""
    deadline = time.monotonic() + seconds
    while not (last := status(task)).state.is_end and time.monotonic() < deadline:
        time.sleep(0.05)
    return last


def discard(job: Job) -> Status:
    """Close an ended run in the ledger and release its unused budget.

    Raises: `Mistake` if the run is still running.
    """
    end = status(job)
    if not end.state.is_end:
        raise Mistake(f"The run {job.run!r} is still running. Cancel it first: jobs cancel {job.run}.")
    from synth.app.jobs.budget import close

    if end.state is State.DONE:
        raise Mistake(f"The run {job.run!r} is finished and has no reserved budget.")
    spec = job.spec()
    spent = close(Path(spec.ledger), spec.run)
    sentence = (
        "The run was discarded. Budget for the queries that were made stays spent; the unused budget is "
        "released."
    )
    end = replace(end, code=DISCARDED, sentence=sentence, spent=spent, reserved=spent, at=now())
    job.write_status(end)
    shutil.rmtree(job.fits, ignore_errors=True)
    return end


def _check_place(job: Job, out: Path | None) -> None:
    """Check the folder for the bundle of a resumed run. An existing bundle is allowed. It may belong to this
    run, if the worker was killed in the last step.
    """
    if out is not None:
        check_place(out)
        job.put_at(out)
        return
    place, advice = Path(job.spec().out), ELSEWHERE.format(run=job.run)
    with writing(place, advice=advice):
        is_made = (place / CHECKSUMS).is_file()
    if not is_made:
        check_place(place, advice=advice)


def _press(task: Task) -> None:
    steps = 2 if KINDS[task.kind].polite else 1  # a task of any other kind was interrupted at once
    overdue = task.stopping_for()
    if overdue >= PATIENCE_SECONDS:
        LOCAL.stop(task, force=overdue >= steps * PATIENCE_SECONDS)


def _end_of_the_dead(task: Task, last: Status) -> Status:
    kind = KINDS[task.kind]
    spent, reserved = kind.charges(task)
    end = replace(last, spent=spent, reserved=reserved, place=0, at=now())
    if task.is_asked_to_stop():
        code, exit_code = Cancelled.code, Cancelled.exit_code
        sentence = kind.forced or kind.stopped
        return replace(end, state=State.CANCELLED, code=code, sentence=sentence, exit_code=exit_code)
    return replace(end, state=State.LOST, code="lost", sentence=kind.lost, exit_code=_EXIT_LOST)
