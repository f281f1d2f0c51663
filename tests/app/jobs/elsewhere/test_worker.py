"""A worker on a shared folder: what it takes and leaves, who computes where, and how it goes."""

from __future__ import annotations

import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from synth import __version__
from synth.app.jobs.elsewhere.carrying import json_of
from synth.app.jobs.elsewhere.executor import CARD, NO_CARD, prepared
from synth.app.jobs.elsewhere.folder import SharedFolder
from synth.app.jobs.elsewhere.parcels import Parcels
from synth.app.jobs.elsewhere.worker import FolderWorker
from synth.app.jobs.store import Task


@pytest.fixture
def shared(share: Path) -> Parcels:
    made = Parcels(share)
    made.set_up()
    return made


@pytest.fixture
def errand(tmp_path: Path, tried: Path):
    count = 0

    def made(kind: str = "spy", **order: Any) -> Task:
        nonlocal count
        count += 1
        files = {"deep/word.txt": b"word"}
        return prepared(tmp_path / f"errand-{count}", kind, order={"seed": 7} | order, files=files)

    return made


def work(shared: Parcels, **facts: Any) -> list[str]:
    """Let a worker do what is there, in this process but for the work. Returns what it said."""
    said: list[str] = []
    given: dict[str, Any] = {"name": "w", "entry": "spy_process", "devices": ("cpu",), "lease": 0.6} | facts
    FolderWorker(parcels=shared, tell=said.append, **given).serve(idle=1.5)
    return said


def end_of(shared: Parcels, name: str) -> dict[str, Any]:
    return json_of(shared.root / "done" / name / "status.json") or {}


@pytest.mark.long
def test_a_worker_takes_away_what_nobody_fetches(shared: Parcels, errand, spies, tried: Path) -> None:
    name = shared.post(errand(seed=1), wants="", program="of another version")
    said = work(shared, kept=0.5 / 86_400)
    assert said == [f"open/{name}: unclaimed, removed"] and shared.whereabouts(name) is None
    shared.post(errand(seed=2), wants="", program="of another version")
    assert work(shared) == []  # after two weeks, unless told otherwise


def test_a_private_kind_is_refused_by_a_sentence_wherever_it_comes_from(
    shared: Parcels, errand, spies, tried: Path
) -> None:
    names = [shared.post(errand(kind=k), wants="", program=__version__) for k in ("hidden", "release", "odd")]
    work(shared)
    for name, kind in zip(names, ("hidden", "release", "odd"), strict=True):
        end = end_of(shared, name)
        assert end["state"] == "failed" and f"'{kind}' may read a private file" in end["sentence"]
    assert tried.read_text() == ""


def test_what_another_version_posted_is_left_to_its_workers(shared: Parcels, errand, spies) -> None:
    name = shared.post(errand(), wants="", program="0.0.1")
    assert work(shared) == []
    assert [one.name for one in shared.open_ones()] == [name]


@dataclass(frozen=True)
class Answer:
    """What came of a task that wanted a graphics card."""

    device: str
    told: list[str]
    on: list[str]


def done_by(share: Path, task: Task, spies: Any, *, wants: str = CARD) -> Answer:
    told, on = [], []
    SharedFolder(share).do(
        task, spies.PUBLIC, report=lambda p: told.append(p.fact), wants=wants, on=on.append
    )
    return Answer((task.answer() or {})["device"], told, on)


@pytest.mark.long
def test_what_wants_a_card_goes_where_one_is(share: Path, hire, errand, spies) -> None:
    hire("small", "cpu")
    hire("large", "cuda", "cpu")
    (share / "workers").mkdir(exist_ok=True)
    deadline = time.monotonic() + 60
    while len(list((share / "workers").glob("[!.]*"))) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    for seed in range(3):
        found = done_by(share, errand(seed=seed, device="cuda"), spies)
        assert found.on == ["worker large"] and found.device == "cuda" and NO_CARD not in found.told


def test_one_that_is_told_to_go_leaves_its_task_to_the_next(
    share: Path, hire, errand, spies, tried: Path, until
) -> None:
    first, task = hire("one", lease=60.0), errand(steps=20, pause=0.1)
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(SharedFolder(share).do, task, spies.PUBLIC)
        until(lambda: tried.read_text())
        first.send_signal(signal.SIGTERM)
        assert first.wait(timeout=60) == 0
        assert not list((share / "workers").glob("[!.]*"))
        hire("two", lease=60.0)
        done.result(timeout=60)  # long before a lease is over
    assert (task.made / "deep" / "table.txt").exists() and len(tried.read_text().split()) == 2


@pytest.mark.long
def test_a_worker_that_slept_through_its_lease_ends_nothing(
    share: Path, hire, errand, spies, tried: Path, until
) -> None:
    first, task = hire("one"), errand(steps=15, pause=0.1)
    on: list[str] = []
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(SharedFolder(share).do, task, spies.PUBLIC, on=on.append)
        until(lambda: on)
        first.send_signal(signal.SIGSTOP)
        hire("two")
        until(lambda: len(on) == 2)
        first.send_signal(signal.SIGCONT)
        done.result(timeout=60)
    assert on == ["worker one", "worker two"] and len(tried.read_text().split()) == 2
    again = errand(seed=8)
    SharedFolder(share).do(again, spies.PUBLIC)  # both still work
    assert first.poll() is None and not list((share / "taken").iterdir())


@pytest.mark.long
def test_what_nobody_waits_for_is_dropped(shared: Parcels, errand, spies, tried: Path) -> None:
    name = shared.post(errand(steps=500, pause=0.1), wants="", program=__version__)

    def stop_it() -> None:
        while not tried.read_text():
            time.sleep(0.05)
        shared.ask_to_stop(name)

    thread = threading.Thread(target=stop_it)
    thread.start()
    said = work(shared)
    thread.join()
    assert said[-1] == f"{name}: stopped"
    assert shared.whereabouts(name) is None and not shared.is_stopped(name)
