"""A folder with two workers: done, failed, stopped, a killed worker, one task once."""

import hashlib
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from synth.app.jobs.elsewhere.executor import prepared
from synth.app.jobs.elsewhere.folder import SharedFolder
from synth.app.jobs.process import Process
from synth.app.jobs.store import Task
from synth.core.errors import Cancelled, Code, Mistake, Refusal
from synth.core.progress import Progress
from tests.app.jobs.elsewhere.conftest import WORD

CANARY = "canary-90x"
ANSWER = hashlib.sha256(f"{WORD} 7".encode()).hexdigest()


@pytest.fixture
def executor(hire, share: Path, spies) -> SharedFolder:
    hire("one"), hire("two")
    return SharedFolder(share)


def attempts(tried: Path) -> list[int]:
    return [int(line) for line in tried.read_text().split()]


def test_a_task_is_done_and_all_of_it_comes_back(executor: SharedFolder, errand, spies, tried: Path) -> None:
    task, stated, on = errand(), [], []
    executor.do(task, spies.PUBLIC, report=stated.append, on=on.append)
    assert (task.made / "deep" / "table.txt").read_text() == ANSWER
    assert (task.answer() or {})["made"] == ANSWER
    steps = [(p.fact, p.done, p.steps, p.loss) for p in stated if p.stage == "fit"]
    assert steps == [(f"step {i}", i / 10, i + 1, 1.0 / (i + 1)) for i in range(3)]
    assert len(on) == 1 and on[0].startswith("worker ")
    assert len(attempts(tried)) == 1 and attempts(tried)[0] != os.getpid()


def test_a_failure_comes_back_as_its_sentence_alone(
    executor: SharedFolder, errand, spies, share: Path
) -> None:
    task = errand(does="fail")
    with pytest.raises(Mistake, match=r"^Type another number than 3\.$"):
        executor.do(task, spies.PUBLIC)
    assert not any(task.made.iterdir())
    task = errand(does="break")
    with pytest.raises(Refusal) as caught:
        executor.do(task, spies.PUBLIC)
    assert caught.value.code is Code.INTERNAL and (task.fault() or {})["kind"] == "ValueError"
    for path in [*task.folder.rglob("*"), *share.rglob("*")]:
        assert path.is_dir() or CANARY.encode() not in path.read_bytes()

    def refuse(task: Task) -> None:
        raise Mistake("It came back wrong.")

    with pytest.raises(Mistake, match="came back wrong"):
        executor.do(errand(), replace(spies.PUBLIC, accept=refuse))


def test_who_waits_can_stop_it(executor: SharedFolder, errand, spies, tried: Path, until) -> None:
    task = errand(steps=2000, pause=0.05)

    def report(progress: Progress) -> None:
        if progress.steps == 3:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        executor.do(task, spies.PUBLIC, report=report)
    assert not task.made.exists()
    (child,) = attempts(tried)
    until(lambda: not Process.of(child).is_alive)
    until(lambda: not [path for path in executor.folder.rglob("*") if path.is_file()])


def test_a_private_kind_is_refused_before_anything_leaves(errand, spies, share: Path) -> None:
    with pytest.raises(Mistake, match=r"'hidden' may read a private file, so no other machine can do it"):
        SharedFolder(share).do(errand(kind="hidden"), spies.PRIVATE)
    assert not list(share.iterdir())


@pytest.mark.long
def test_a_killed_worker_is_replaced(executor: SharedFolder, errand, spies, tried: Path, until) -> None:
    task, on = errand(steps=30, pause=0.1), []
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(executor.do, task, spies.PUBLIC, on=on.append)
        until(lambda: attempts(tried) and on)
        first = attempts(tried)[0]
        stat = Path(f"/proc/{first}/stat").read_text()
        os.kill(int(stat[stat.rindex(")") + 2 :].split()[1]), signal.SIGKILL)  # the worker, its parent
        done.result(timeout=120)
    assert (task.made / "deep" / "table.txt").read_text() == ANSWER
    assert len(attempts(tried)) == 2 and len(on) == 2 and on[0] != on[1]
    until(lambda: not Process.of(first).is_alive)  # nobody would have come for its answer


@pytest.mark.parametrize(
    "order", [{"data": "/srv/private.csv"}, {"options": {"x": ["/srv"]}}, {"options": {"/srv/p": 1}}]
)
def test_an_order_that_names_a_place_is_refused(order: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="contains the path '/srv"):
        prepared(tmp_path / "errand", "spy", order=order, files={})
    assert not (tmp_path / "errand").exists()
