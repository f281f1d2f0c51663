"""A piece of work for one project in a process of its own: how it is begun, watched and ended.

    FOLDER/               0700, belongs to a project
      order.json          what was asked, as the module that does it understands it (0600)
      status.json, events.jsonl, process.json, heartbeat, lock, fault.json   as in a job folder

An errand spends no budget and waits in no queue. A new one in a folder takes the place of the last.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from synth.errors import MarginaliaError, Mistake
from synth.jobs.hardening import fault, fresh_reference, harden
from synth.jobs.launch import launch
from synth.jobs.locks import hold
from synth.jobs.process import Process
from synth.jobs.store import State, Status, Workplace, now
from synth.jobs.vigil import heart, terminable


def start(folder: Path, *, module: str, order: Mapping[str, Any], busy: str) -> None:
    """Have `module` do this order. Raises: `Mistake` with the sentence `busy` if one is at work here."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    before = seen(folder, lost="")
    if before is not None and not before.state.is_end:
        raise Mistake(busy)
    work = Workplace(folder)
    for name in ("process.json", "events.jsonl"):
        (folder / name).unlink(missing_ok=True)
    work.forget_stop()
    work.keep("order.json", json.dumps(order))
    work.write_status(Status(state=State.QUEUED, at=now()))
    launch(work, module)


def seen(folder: Path, *, lost: str) -> Status | None:
    """How far the errand in this folder is, None if there was none; `lost` tells that its process is gone."""
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
    return replace(status, state=State.LOST, sentence=lost)


def order_of(work: Workplace) -> dict[str, Any]:
    """What was asked."""
    told: dict[str, Any] = json.loads((work.folder / "order.json").read_text(encoding="utf-8"))
    return told


def run(arguments: list[str] | None, do: Callable[[Workplace], None], *, failed: str) -> int:
    """Entry of the process. Returns 0, also if another process has the folder.

    A `Mistake` of `do` is told as it stands; of anything else only `failed` and a reference are told.
    """
    harden()
    (folder,) = sys.argv[1:] if arguments is None else arguments
    work = Workplace(Path(folder))
    with hold(work.lock, patience=2.0) as free:
        if not free:
            return 0
        work.write_process(Process.of(os.getpid()))
        with heart(work), terminable(work):
            end = _attempt(work, do, failed=failed)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # too late to stop: the end is being written
            work.write_status(end)
    return 0


def _attempt(work: Workplace, do: Callable[[Workplace], None], *, failed: str) -> Status:
    try:
        do(work)
        return Status(state=State.DONE, done=1.0, at=now())
    except MarginaliaError as error:
        return Status(state=State.FAILED, code="mistake", sentence=str(error), at=now())
    except Exception as error:
        reference = fresh_reference()
        with suppress(OSError):
            work.write_fault(fault(error, reference))
        return Status(state=State.FAILED, sentence=failed, reference=reference, at=now())
