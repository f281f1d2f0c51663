"""What every errand has: one at a time, an end that is told, and nothing told of a fault but a reference."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from synth.errors import Mistake
from synth.jobs import errand
from synth.jobs.process import Process
from synth.jobs.store import State, Status, Workplace, now

FAILED, LOST, BUSY = "It failed.", "It is gone.", "It is busy."


@pytest.fixture
def work(tmp_path: Path) -> Workplace:
    place = Workplace(tmp_path)
    place.keep("order.json", json.dumps({"wish": 7}))
    place.write_status(Status(state=State.QUEUED, at=now()))
    return place


def test_an_errand_does_its_order_and_says_so(work: Workplace) -> None:
    seen = []
    assert errand.run([str(work.folder)], lambda w: seen.append(errand.order_of(w)), failed=FAILED) == 0
    assert seen == [{"wish": 7}]
    assert errand.seen(work.folder, lost=LOST).state is State.DONE


def test_a_mistake_is_told_and_a_fault_is_not(work: Workplace) -> None:
    def mistaken(_: Workplace) -> None:
        raise Mistake("Type another number.")

    def broken(_: Workplace) -> None:
        raise ValueError("row 17 holds 4711")

    errand.run([str(work.folder)], mistaken, failed=FAILED)
    assert errand.seen(work.folder, lost=LOST).sentence == "Type another number."
    errand.run([str(work.folder)], broken, failed=FAILED)
    status = errand.seen(work.folder, lost=LOST)
    assert (status.state, status.sentence) == (State.FAILED, FAILED) and status.reference
    assert not any("4711" in p.read_text() for p in work.folder.iterdir() if p.is_file())


def test_one_that_stopped_without_a_word_is_lost(work: Workplace) -> None:
    worker = subprocess.Popen(["sleep", "60"])
    work.write_process(Process.of(worker.pid))
    work.write_status(Status(state=State.RUNNING, at=now()))
    assert errand.seen(work.folder, lost=LOST).state is State.RUNNING
    worker.kill()
    worker.wait()
    status = errand.seen(work.folder, lost=LOST)
    assert (status.state, status.sentence) == (State.LOST, LOST)
    assert errand.seen(work.folder / "none", lost=LOST) is None


def test_a_second_one_waits_for_the_first(work: Workplace) -> None:
    work.write_status(Status(state=State.RUNNING, at=now()))
    work.write_process(Process.of(os.getpid()))
    with pytest.raises(Mistake, match=BUSY):
        errand.start(work.folder, module="synth.jobs.again", order={}, busy=BUSY)
