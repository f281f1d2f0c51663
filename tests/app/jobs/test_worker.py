"""The worker's own duties, with the work replaced by a few lines: turn, status, stop, honest end."""

import errno
import json
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from synth.app.jobs import worker
from synth.app.jobs.kinds import KINDS
from synth.app.jobs.locks import hold
from synth.app.jobs.store import Job, State
from synth.app.jobs.worker import turn
from synth.core.errors import SENTENCES, BudgetRefused, Code, Mistake, Refusal
from synth.core.progress import Progress
from synth.core.system.places import home

CANARY = "canary-7f3a"


@pytest.fixture
def job(spec):
    return Job.create(spec)


def run(job, release):
    """Do a run by these few lines."""
    return worker.run(job, replace(KINDS["release"], work=release))


def raising(error):
    def release(task, report):
        report(Progress(stage="round", done=0.5, fact="age x sex"))
        raise error

    return release


@pytest.mark.parametrize(
    ("error", "code", "exit_code"),
    [
        (Mistake("You typed 3."), "mistake", 2),
        (BudgetRefused("p", requested=5, left=3), "budget_refused", 3),
        (Refusal(Code.HEADER_MISMATCH), "header_mismatch", 4),
        (Refusal(Code.LEDGER_UNAVAILABLE), "ledger_unavailable", 4),
    ],
)
def test_an_error_ends_the_run_with_its_sentence_and_exit_code(job, error, code, exit_code):
    assert run(job, raising(error)) == exit_code
    end = job.status()
    assert (end.state, end.code, end.exit_code, end.sentence) == (State.FAILED, code, exit_code, str(error))
    assert end.fact == "age x sex"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_reported_as_a_full_disk(job, number):
    assert run(job, raising(OSError(number, CANARY, CANARY))) == Refusal.exit_code
    end = job.status()
    assert (end.state, end.code, end.sentence) == (
        State.FAILED,
        Code.DISK_FULL,
        SENTENCES[Code.DISK_FULL],
    )


@pytest.mark.parametrize("error", [KeyError(CANARY), ValueError(CANARY), MemoryError(CANARY)])
def test_a_fault_is_told_without_its_message(job, error, capfd):
    assert run(job, raising(error)) == 1
    end = job.status()
    assert (end.state, end.code) == (State.FAILED, "internal")
    assert json.loads((job.folder / "fault.json").read_text())["reference"] == end.reference
    written = b"".join(path.read_bytes() for path in job.folder.iterdir())
    assert CANARY.encode() not in written
    assert CANARY not in "".join(capfd.readouterr())


def test_a_stop_asked_for_takes_effect_at_the_next_fact(job):
    def release(task, report):
        report(Progress(stage="round", done=0.1, fact="one"))
        job.ask_to_stop()
        report(Progress(stage="round", done=0.2, fact="two"))
        raise AssertionError("went on")

    assert run(job, release) == 5
    assert job.status().state is State.CANCELLED
    assert [event.fact for event in job.events()] == ["one", "two"]


WORKER = """
import sys, time
from pathlib import Path
from synth.app.jobs.locks import hold
from synth.app.jobs.worker import turn
from synth.app.jobs.store import Job
job = Job(Path(sys.argv[1]))
with hold(job.lock), turn(job, waiting=lambda place: None), Path(sys.argv[2]).open("a") as out:
    print("in", job.run, file=out, flush=True)
    while not Path(sys.argv[3]).exists():
        time.sleep(0.01)
    print("out", job.run, file=out, flush=True)
"""


def test_runs_go_one_at_a_time_in_the_order_they_came(spec, tmp_path):
    log, all_in_line = tmp_path / "log", tmp_path / "all-in-line"
    workers = []
    for run in ("a", "b", "c"):
        job = Job.create(replace(spec, run=run))
        workers.append(subprocess.Popen([sys.executable, "-c", WORKER, job.folder, log, all_in_line]))
        deadline = time.monotonic() + 600
        while not list((home() / "queue").glob(f"*.{run}")):
            assert time.monotonic() < deadline
            time.sleep(0.01)
    all_in_line.touch()
    assert [worker.wait(timeout=600) for worker in workers] == [0, 0, 0]
    assert log.read_text().splitlines() == ["in a", "out a", "in b", "out b", "in c", "out c"]
    assert not list((home() / "queue").glob("*.*"))


def test_a_resumed_run_does_not_wait_for_its_own_old_ticket(spec):
    job = Job.create(spec)
    (home() / "queue").mkdir()
    (home() / "queue" / f"{time.time_ns():020d}.{job.run}").touch()
    with hold(job.lock), turn(job, waiting=lambda place: pytest.fail("waited for itself")):
        pass
