"""Every form of executor, held to the same: done, failed, stopped, a killed worker, one task once."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from synth.app.jobs.elsewhere.executor import Executor, Here, prepared
from synth.app.jobs.elsewhere.folder import SharedFolder
from synth.app.jobs.process import Process
from synth.app.jobs.store import Task
from synth.core.errors import Cancelled, Code, Mistake, Refusal
from synth.core.progress import Progress
from tests.app.jobs.elsewhere.conftest import WORD

CANARY = "canary-90x"
ALONE = """
import sys, spies
from pathlib import Path
from synth.app.jobs.elsewhere.executor import Here
from synth.app.jobs.store import Task
Here().do(Task(Path(sys.argv[1]), "spy"), spies.PUBLIC)
"""


@pytest.fixture(params=["here", "folder"])
def executor(request: pytest.FixtureRequest, spies) -> Executor:
    if request.param == "here":
        return Here()
    hire = request.getfixturevalue("hire")
    hire("one"), hire("two")
    return SharedFolder(request.getfixturevalue("share"))


def is_here(executor: Executor) -> bool:
    return isinstance(executor, Here)


def answer_to(seed: int) -> str:
    return hashlib.sha256(f"{WORD} {seed}".encode()).hexdigest()


def attempts(tried: Path) -> list[int]:
    return [int(line) for line in tried.read_text().split()]


def test_a_task_is_done_and_all_of_it_comes_back(executor: Executor, errand, spies, tried: Path) -> None:
    task, told, on = errand(), [], []
    executor.do(task, spies.PUBLIC, report=told.append, on=on.append)
    assert (task.made / "deep" / "table.txt").read_text() == answer_to(7)
    assert (task.answer() or {})["made"] == answer_to(7)
    steps = [(p.fact, p.done, p.steps, p.loss) for p in told if p.stage == "fit"]
    assert steps == [(f"step {i}", i / 10, i + 1, 1.0 / (i + 1)) for i in range(3)]
    assert len(on) == 1 and on[0].startswith("this machine" if is_here(executor) else "worker ")
    assert len(attempts(tried)) == 1 and (attempts(tried)[0] == os.getpid()) == is_here(executor)


def test_a_mistake_comes_back_with_its_sentence(executor: Executor, errand, spies) -> None:
    task = errand(does="fail")
    with pytest.raises(Mistake, match=r"^Type another number than 3\.$"):
        executor.do(task, spies.PUBLIC)
    assert not task.made.exists() or not any(task.made.iterdir())


def test_a_fault_comes_back_without_its_words(executor: Executor, errand, spies, share: Path) -> None:
    task = errand(does="break")
    with pytest.raises(ValueError if is_here(executor) else Refusal) as caught:
        executor.do(task, spies.PUBLIC)
    if is_here(executor):
        return  # whose process this is keeps the words to itself, see `jobs.worker`
    assert caught.value.code is Code.INTERNAL
    assert (task.fault() or {})["kind"] == "ValueError"
    for path in [*task.folder.rglob("*"), *share.rglob("*")]:
        assert path.is_dir() or CANARY.encode() not in path.read_bytes()


def test_who_waits_can_stop_it(executor: Executor, errand, spies, tried: Path, until) -> None:
    task = errand(steps=2000, pause=0.05)

    def report(progress: Progress) -> None:
        if progress.steps == 3:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        executor.do(task, spies.PUBLIC, report=report)
    assert not task.made.exists()
    if not is_here(executor):
        (child,) = attempts(tried)
        until(lambda: not Process.of(child).is_alive)


def test_a_private_kind_is_refused_before_anything_leaves(
    executor: Executor, errand, spies, share: Path
) -> None:
    task = errand(kind="hidden")
    with pytest.raises(Mistake, match=r"'hidden' may read a private file, so no other machine does it"):
        executor.do(task, spies.PRIVATE)
    assert not list(share.rglob("*word*"))


@pytest.mark.long
def test_a_killed_worker_is_replaced_and_the_same_answer_comes(
    executor: Executor, errand, spies, tried: Path, until, tmp_path: Path
) -> None:
    task = errand(steps=30, pause=0.1)
    if is_here(executor):
        _killed_here(task, tried, until)
        again = errand(steps=1)
        executor.do(again, spies.PUBLIC)
        assert (again.made / "deep" / "table.txt").read_text() == answer_to(7)
        return
    on: list[str] = []
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(executor.do, task, spies.PUBLIC, on=on.append)
        until(lambda: attempts(tried))
        until(lambda: on)
        first = attempts(tried)[0]
        os.kill(_parent_of(first), signal.SIGKILL)
        done.result(timeout=120)
    assert (task.made / "deep" / "table.txt").read_text() == answer_to(7)
    assert len(attempts(tried)) == 2 and len(on) == 2 and on[0] != on[1]
    until(lambda: not Process.of(first).is_alive)  # nobody would have come for its answer


def _killed_here(task: Task, tried: Path, until) -> None:
    process = subprocess.Popen([sys.executable, "-c", ALONE, str(task.folder)])
    until(lambda: attempts(tried))
    process.kill()
    process.wait()
    assert not task.made.exists() and task.answer() is None


def _parent_of(process: int) -> int:
    stat = Path(f"/proc/{process}/stat").read_text()
    return int(stat[stat.rindex(")") + 2 :].split()[1])


def test_what_came_back_is_looked_at(
    executor: Executor, errand, spies, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_here(executor):
        return

    def refuse(task: Task) -> None:
        raise Mistake("It came back wrong.")

    with pytest.raises(Mistake, match="came back wrong"):
        executor.do(errand(), replace(spies.PUBLIC, accept=refuse))


@pytest.mark.parametrize(
    "order", [{"data": "/srv/private.csv"}, {"options": {"x": ["/srv"]}}, {"options": {"/srv/p": 1}}]
)
def test_an_order_that_names_a_place_is_refused(order: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="contains the path '/srv"):
        prepared(tmp_path / "errand", "spy", order=order, files={})
    assert not (tmp_path / "errand").exists()
