"""A process gets an environment of allowed names; a worker says nothing, who is asked says its answer."""

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from synth.app.jobs.executor import LocalProcesses
from synth.app.jobs.process import Process
from synth.app.jobs.store import Job, Task
from synth.core.errors import Code, Refusal
from synth.core.system.fixed import FIXED

SPY = """
import os, sys
from pathlib import Path

def main(arguments):
    told = [*os.environ, os.readlink("/proc/self/fd/1"), f"sid {os.getsid(0) == os.getpid()}"]
    print("lost")
    Path(arguments[1], "told").write_text("\\n".join([*told, f"forked {'synth' in sys.modules}"]))

if __name__ == "__main__":
    main(sys.argv[1:])
"""
COMMAND = """
import sys, time
from pathlib import Path
from synth.app.jobs.executor import LocalProcesses
from synth.app.jobs.store import Task

place = Task(Path(sys.argv[1]), "spy")
sys.path.append(sys.argv[1])
LocalProcesses(worker="spy").start(place)
while place.process().is_alive:
    time.sleep(0.01)
"""
CANARY = "canary-31vk"
ENTRY = """
import os, sys, time
sys.path.append({ours!r})
from synth.core.errors import Code, Refusal
from synth.app.jobs.kind import TaskKind
from synth.app.jobs.kinds import KINDS
from synth.app.jobs.worker import main

def tell(order):
    {does}

KINDS["spy"] = TaskKind(work=lambda task, report: tell(task.order()))
sys.exit(main())
"""


def test_a_worker_inherits_no_secret_and_outlives_its_starter(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "x")
    monkeypatch.setenv("MARGINALIA_SPY", "x")
    monkeypatch.setattr("synth.app.jobs.executor.ROOT", tmp_path)
    (tmp_path / "spy.py").write_text(SPY)
    place = Task(tmp_path, "spy")
    LocalProcesses(worker="spy").start(place)
    deadline = time.monotonic() + 600
    while not (tmp_path / "told").exists() or place.process().is_alive:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    stated = (tmp_path / "told").read_text().split("\n")
    assert "SECRET_TOKEN" not in stated
    assert {"MARGINALIA_SPY", "OMP_NUM_THREADS", "/dev/null", "sid True", "forked False"} <= set(stated)


def test_the_worker_of_a_command_is_a_fork_that_inherits_no_secret_either(tmp_path):
    (tmp_path / "spy.py").write_text(SPY)
    environment = os.environ | FIXED | {"SECRET_TOKEN": "x", "MARGINALIA_SPY": "x"}
    subprocess.run([sys.executable, "-c", COMMAND, str(tmp_path)], env=environment, check=True, timeout=600)
    stated = (tmp_path / "told").read_text().split("\n")
    assert "SECRET_TOKEN" not in stated
    assert {"MARGINALIA_SPY", "OMP_NUM_THREADS", "/dev/null", "sid True", "forked True"} <= set(stated)


@pytest.fixture
def requested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Ask a process that does one thing with its order."""
    ours = str(Path(__file__).parents[3])
    monkeypatch.setattr("synth.app.jobs.executor.ROOT", tmp_path)
    monkeypatch.setenv("SECRET_TOKEN", CANARY)

    def of(does: str, *, patience: float = 120.0):
        (tmp_path / "spy.py").write_text(ENTRY.format(ours=ours, does=does))
        return LocalProcesses(worker="spy").ask("spy", {"word": "Größe"}, patience=patience)

    return of


def test_the_order_goes_in_and_the_answer_comes_out_and_no_secret_with_it(requested) -> None:
    stated = requested("return {**order, 'environment': list(os.environ), 'process': os.getpid()}")
    assert stated["word"] == "Größe" and stated["process"] != os.getpid()
    assert "OMP_NUM_THREADS" in stated["environment"] and "SECRET_TOKEN" not in stated["environment"]


def test_a_refusal_arrives_as_that_refusal(requested) -> None:
    with pytest.raises(Refusal) as caught:
        requested("raise Refusal(Code.HEADER_MISMATCH)")
    assert caught.value.code is Code.HEADER_MISMATCH


def test_only_a_living_worker_or_a_fresh_start_counts_as_alive(spec):
    job = Job.create(spec)
    assert LocalProcesses().is_alive(job)
    os.utime(job.folder / "status.json", (0, 0))
    assert not LocalProcesses().is_alive(job)
    job.write_process(Process.of(os.getpid()))
    assert LocalProcesses().is_alive(job)
    job.write_process(replace(Process.of(os.getpid()), started=1))
    assert not LocalProcesses().is_alive(job)
