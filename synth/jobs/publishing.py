"""The process that publishes a run: `python -m synth.jobs.publishing FOLDER`.

    FOLDER/               0700, belongs to a project; one per run
      order.json          the run's bundle, the place of the publication and its words (0600)
      draft/              the publication until it has been checked
      status.json, events.jsonl, process.json, heartbeat, lock, fault.json   as in a job folder

Writing and checking a table of a million rows takes a minute and much memory, which a page has not got. What
is published is written as a draft, checked as it lies there, and put in its place in one step: a publication
that exists has passed its check.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from synth.errors import MarginaliaError, Mistake
from synth.jobs.hardening import fault, fresh_reference, harden
from synth.jobs.launch import launch
from synth.jobs.locks import hold
from synth.jobs.process import Process
from synth.jobs.store import State, Status, Workplace, now
from synth.jobs.vigil import heart, tell, terminable
from synth.progress import Progress
from synth.release.statement import Imprint

MODULE = "synth.jobs.publishing"
BUSY = "This run is being published already."
TAKEN = "There is something else already where this publication belongs, so it was not put there."
LOST = "The process that published stopped without a word. Nothing was published; start it again."
FAILED = "The process that published stopped for a reason it does not tell. Nothing was published."


def start(folder: Path, *, source: Path, place: Path, imprint: Imprint) -> None:
    """Publish the bundle at `source` to `place` with these words, in a process of its own.

    Raises: `Mistake` if one is at work in this folder. Whatever else is wrong is for `seen` to say.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    before = seen(folder)
    if before is not None and not before.state.is_end:
        raise Mistake(BUSY)
    work = Workplace(folder)
    for name in ("process.json", "events.jsonl"):
        (folder / name).unlink(missing_ok=True)
    work.forget_stop()
    work.keep("order.json", json.dumps({"source": str(source), "place": str(place), **imprint.told()}))
    work.write_status(Status(state=State.QUEUED, at=now()))
    launch(work, MODULE)


def seen(folder: Path) -> Status | None:
    """How far the publication in this folder is, None if there was none."""
    if not (folder / "status.json").exists():
        return None
    work = Workplace(folder)
    process = work.process()
    if process is not None:
        process.reap()
    alive = work.is_alive()  # asked first: a worker that ends in between has written its end
    status = work.status()
    if status.state.is_end or alive:
        return status
    return replace(status, state=State.LOST, sentence=LOST)


def main(arguments: list[str] | None = None) -> int:
    """Entry of the process. Returns 0, also if another process has the folder."""
    harden()
    (folder,) = sys.argv[1:] if arguments is None else arguments
    work = Workplace(Path(folder))
    with hold(work.lock, patience=2.0) as free:
        if not free:
            return 0
        work.write_process(Process.of(os.getpid()))
        with heart(work), terminable(work):
            end = _attempt(work)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # too late to stop: the end is being written
            work.write_status(end)
    return 0


def _attempt(work: Workplace) -> Status:
    draft = work.folder / "draft"
    try:
        _publish(work, draft)
        return Status(state=State.DONE, done=1.0, at=now())
    except MarginaliaError as error:
        return Status(state=State.FAILED, code="mistake", sentence=str(error), at=now())
    except Exception as error:
        reference = fresh_reference()
        with suppress(OSError):
            work.write_fault(fault(error, reference))
        return Status(state=State.FAILED, sentence=FAILED, reference=reference, at=now())
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _publish(work: Workplace, draft: Path) -> None:
    from synth.release import publish as gate  # brings pandas and pyarrow: only in this process
    from synth.release.verify import verify

    order = json.loads((work.folder / "order.json").read_text(encoding="utf-8"))
    place = Path(order["place"])
    if place.exists():
        raise Mistake(TAKEN)
    shutil.rmtree(draft, ignore_errors=True)  # of a process that was killed
    gate.publish(order["source"], draft, imprint=Imprint.of(order), report=lambda fact: tell(work, fact))
    tell(work, Progress(stage="verify", done=0.6, fact="checking what was written"))
    problems = verify(draft).problems
    if problems:
        raise Mistake("\n".join(problems))
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        draft.rename(place)
    except OSError:
        raise Mistake(TAKEN) from None


if __name__ == "__main__":
    sys.exit(main())
