"""The shared folder: one wins every step, a lost lease writes nothing, and no two clocks are compared."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from synth.app.jobs.elsewhere import parcels as module
from synth.app.jobs.elsewhere.carrying import json_of, text_of
from synth.app.jobs.elsewhere.parcels import Fenced, Parcel, Parcels, Watch
from synth.app.jobs.store import Task
from synth.core.errors import Mistake


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """This machine's clock that never jumps, to be set."""
    now = [1000.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def shared(tmp_path: Path) -> Parcels:
    (tmp_path / "share").mkdir()
    made = Parcels(tmp_path / "share")
    made.set_up()
    return made


def taken(shared: Parcels) -> Parcel:
    (parcel,) = [p for p in (shared.take(one) for one in shared.open_ones()) if p is not None]
    return parcel


def test_of_many_who_take_it_one_has_it(shared: Parcels, errand) -> None:
    for seed in range(20):
        shared.post(errand(seed=seed), wants="", program="")
    lying, start = shared.open_ones(), threading.Barrier(8)

    def take_all(_: int) -> list[str]:
        start.wait()
        return [one.name for one in lying if shared.take(one) is not None]

    with ThreadPoolExecutor(8) as pool:
        got = [name for names in pool.map(take_all, range(8)) for name in names]
    assert sorted(got) == sorted(one.name for one in lying)


def test_a_silent_worker_loses_its_lease(shared: Parcels, errand, clock: list[float], tmp_path: Path) -> None:
    name = shared.post(errand(), wants="", program="")
    first, watch = taken(shared), Watch()
    shared.show(first, "old\n")
    assert shared.silent_ones(watch, lease=60) == []
    clock[0] += 59
    assert shared.silent_ones(watch, lease=60) == []
    clock[0] += 2
    (silent,) = shared.silent_ones(watch, lease=60)
    second = shared.take(silent)
    assert second is not None and second.turn == 2 and shared.take(silent) is None
    assert text_of(second.folder / "events.jsonl") is None
    work = Task(tmp_path / "work", "spy")
    for writes in (lambda: shared.show(first, "x"), lambda: shared.end(first, work, {"state": "done"})):
        with pytest.raises(Fenced):
            writes()
    with shared.beating(first, worker="one", lease=60) as lost:
        assert lost.wait(10)
    assert shared.whereabouts(name) == second.folder and not first.folder.exists()
    shared.end(second, work, {"state": "done"})
    assert json_of(shared.root / "done" / name / "status.json") == {"state": "done"}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a run, which nobody else may touch."""
    (tmp_path / "run" / "made").mkdir(parents=True)
    (tmp_path / "run" / "made" / "release.csv").write_text("precious")
    for name in ("status.json", "order.json", "parcel.json", "beat.json", "events.jsonl"):
        (tmp_path / "run" / name).write_text('{"wants": "secret", "count": 1}')
    return tmp_path / "run"


def below(folder: Path) -> dict[str, str]:
    return {str(p): p.read_text() for p in folder.rglob("*") if p.is_file()}


def test_a_link_is_no_parcel_and_its_target_stays(shared: Parcels, run: Path, tmp_path: Path) -> None:
    name, before = f"spy-{'0' * 24}-{'0' * 8}", below(run)
    for place in (f"open/{name}", f"taken/{name}.1", f"done/{name}"):
        (shared.root / place).symlink_to(run)
    assert shared.open_ones() == [] == shared.silent_ones(Watch(), lease=0.0)
    assert shared.whereabouts(name) is None
    work = Task(tmp_path / "work", "spy")
    work.made.mkdir(parents=True)
    parcel = Parcel(shared.root / "taken" / f"{name}.1", name, 1)
    for writes in (lambda: shared.show(parcel, "x"), lambda: shared.end(parcel, work, {"state": "done"})):
        with pytest.raises(Fenced):
            writes()
    with shared.beating(parcel, worker="one", lease=60) as lost:
        assert lost.wait(10)
    shared.give_back(parcel)
    assert shared.take(Parcel(shared.root / "open" / name, name, 0)) is None
    assert shared.ticket(parcel) == ("", "")
    with pytest.raises(Mistake, match="not a plain file"):
        shared.fetch(name, work)
    shared.drop(parcel)
    shared.forget(name)
    shared.ask_to_stop(name)
    assert below(run) == before
