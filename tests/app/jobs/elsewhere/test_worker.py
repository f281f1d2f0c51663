"""A worker on a shared folder: what it takes and leaves, who computes where, and how it goes."""

import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from synth import __version__
from synth.app.jobs.elsewhere.carrying import json_of
from synth.app.jobs.elsewhere.executor import CARD, NO_CARD
from synth.app.jobs.elsewhere.folder import SharedFolder
from synth.app.jobs.elsewhere.parcels import Parcels
from synth.app.jobs.elsewhere.worker import FolderWorker


@pytest.fixture
def shared(share: Path) -> Parcels:
    made = Parcels(share)
    made.set_up()
    return made


def work(shared: Parcels, **facts: Any) -> list[str]:
    """Let a worker do what is there, in this process but for the work. Returns what it said."""
    said: list[str] = []
    given: dict[str, Any] = {"name": "w", "entry": "spy_process", "devices": ("cpu",), "lease": 0.6} | facts
    FolderWorker(parcels=shared, tell=said.append, **given).serve(idle=1.5)
    return said


def end_of(shared: Parcels, name: str) -> dict[str, Any]:
    return json_of(shared.root / "done" / name / "status.json") or {}


def test_a_private_kind_is_refused_from_anywhere(shared: Parcels, errand, spies, tried: Path) -> None:
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


def test_a_task_for_a_card_waits_one_lease_and_is_done_without(shared: Parcels, errand, spies) -> None:
    name = shared.post(errand(device=CARD), wants=CARD, program=__version__)
    assert work(shared, lease=60.0) == []
    work(shared, lease=0.6)
    place = shared.root / "done" / name
    assert (json_of(place / "answer.json") or {})["device"] == "cpu"
    assert NO_CARD in (place / "events.jsonl").read_text()


@pytest.mark.long
def test_a_worker_without_lease_ends_nothing(share: Path, hire, errand, spies, tried: Path, until) -> None:
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
