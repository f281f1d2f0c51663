import subprocess
import sys
import time
from dataclasses import replace

import pytest

from synth.app.jobs.locks import hold
from synth.app.jobs.store import Job
from synth.app.jobs.worker import turn
from synth.core.system.places import home

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
