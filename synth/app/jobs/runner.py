"""Start, watch, stop and resume tasks: each is done by a worker of its own that survives its starter.

The command line and the app use these functions and nothing else. What is true of a task lies in its folder,
and for a run in the ledger, so a reload, a restart or a kill of the starter changes nothing.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from synth.app.jobs.executor import LOCAL
from synth.app.jobs.kinds import KINDS
from synth.app.jobs.locks import hold
from synth.app.jobs.spec import ELSEWHERE, RunSpec
from synth.app.jobs.store import Job, State, Status, Task, now
from synth.core.errors import Cancelled, Mistake, NothingFound
from synth.release.layout import CHECKSUMS
from synth.release.place import check_place, writing

_EXIT_LOST = 6
DISCARDED = "discarded"
PATIENCE_SECONDS = 10.0  # between asking to stop, SIGTERM and SIGKILL


def start(spec: RunSpec) -> Job:
    """Create the job folder of a run and start its worker.

    Raises: `Mistake` if the run exists, or as `release.place.check_place` for where its bundle belongs.
    """
    check_place(Path(spec.out))
    job = Job.create(spec)
    LOCAL.start(job)
    return job


def begin(task: Task, order: Mapping[str, Any]) -> None:
    """Start a task of a project in its own folder, in place of the last one there.

    Raises: `Mistake` while one is at work there.
    """
    task.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    last = find_status(task)
    if last is not None and not last.state.is_end:
        raise Mistake(KINDS[task.kind].busy)
    task.forget()
    task.write_order(order)
    task.write_status(Status(state=State.QUEUED, at=now()))
    LOCAL.start(task)


def resume(job: Job, *, out: Path | None = None, other_people: bool = False) -> Job:
    """Start a worker for a run that ended early; what it had asked before is answered again for nothing, and
    the rest of what it reserved is spent as agreed.

    `out` is another place for its bundle. `other_people` is the steward's answer to a run that found its file
    released under another population.

    Raises: `Mistake` if the run is still at work or is done, or if its bundle cannot be put in its place.
    """
    end = status(job)
    if not end.state.is_end:
        raise Mistake(f"The run {job.run!r} is still at work. Watch it with: jobs status {job.run}.")
    if end.state is State.DONE:
        raise Mistake(f"The run {job.run!r} is done; there is nothing to resume.")
    if end.code == NothingFound.code:
        raise Mistake(
            f"A resume of the run {job.run!r} would end as before. {end.sentence} Give back "
            f"what it still holds (ledger discard {job.run}) and start a new run."
        )
    if end.code == DISCARDED:
        raise Mistake(f"The run {job.run!r} was discarded. Start a new run.")
    with hold(job.lock) as is_free:
        if not is_free or job.status() != end:  # somebody else has resumed it meanwhile
            raise Mistake(f"The run {job.run!r} is at work again. Watch it with: jobs status {job.run}.")
        _check_place(job, out)
        if other_people:
            job.say_other_people()
        job.forget_worker()
        job.write_status(Status(state=State.QUEUED, spent=end.spent, reserved=end.reserved, at=now()))
    LOCAL.start(job)
    return job


def cancel(task: Task, *, force: bool = False) -> None:
    """Ask a task to stop between two steps; with `force`, or if its kind is not polite, at its next line.

    Whoever watches it (`status`, `wait`) stops it at its next line ten seconds after the asking, and ten
    seconds later kills it. What a run was charged stays charged and can be used by `resume`.
    """
    task.ask_to_stop()
    if force or not KINDS[task.kind].polite:
        LOCAL.stop(task)
    status(task)


def status(task: Task) -> Status:
    """Where the task is; also presses a stop that is overdue and gives a dead worker its honest end."""
    LOCAL.clear(task)
    last = task.status()
    if last.state.is_end:
        return last
    if LOCAL.is_alive(task):
        _press(task)
        return last
    with hold(task.lock) as is_free:
        last = task.status()  # it may have ended while we looked
        if is_free and not last.state.is_end:
            last = _end_of_the_dead(task, last)
            task.write_status(last)
    return last


def find_status(task: Task) -> Status | None:
    """Where the task is, None if none was begun in its folder."""
    return status(task) if task.exists else None


def wait(task: Task, *, seconds: float = float("inf")) -> Status:
    """Watch until the task ends or the time is over."""
    deadline = time.monotonic() + seconds
    while not (last := status(task)).state.is_end and time.monotonic() < deadline:
        time.sleep(0.05)
    return last


def discard(job: Job) -> Status:
    """Close an ended run in the ledger: what was reserved and never charged is free again.

    Raises: `Mistake` if the run is still at work.
    """
    end = status(job)
    if not end.state.is_end:
        raise Mistake(f"The run {job.run!r} is still at work. Cancel it first: jobs cancel {job.run}.")
    from synth.app.jobs.budget import close

    if end.state is State.DONE:
        raise Mistake(f"The run {job.run!r} is done; it holds nothing back.")
    spent = close(job.spec())
    sentence = "The run was discarded. What had been asked stays spent, the rest is free again."
    end = replace(end, code=DISCARDED, sentence=sentence, spent=spent, reserved=spent, at=now())
    job.write_status(end)
    shutil.rmtree(job.fits, ignore_errors=True)
    return end


def _check_place(job: Job, out: Path | None) -> None:
    """Where a resumed run puts its bundle. One that lies there already may be its own, of a worker that was
    killed in its last step."""
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
    steps = 2 if KINDS[task.kind].polite else 1  # another has been told to stop at its next line already
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
