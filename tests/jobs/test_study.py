"""A study's folder: private, whole, one study at a time, and an honest end for a dead worker."""

import os
import signal
import stat
import time
from dataclasses import replace

import pytest

from synth.errors import Mistake
from synth.jobs import runner, study
from synth.jobs.process import Process
from synth.jobs.store import State, Status, now
from synth.jobs.study import Kind, Order, Study

ORDER = Order(kind=Kind.STEWARD, runs=("toy-1",), targets=("status",), mapped=False)


@pytest.fixture
def finished(toy):
    job = runner.start(replace(toy, method="independent"))
    assert runner.wait(job, seconds=600).state is State.DONE
    return job


def ended(place):
    deadline = time.monotonic() + 600
    while not (seen := study.status(place)).state.is_end:
        assert time.monotonic() < deadline, seen
        time.sleep(0.02)
    return seen


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"runs": ()}, "1 to 6"),
        ({"runs": ("a",), "kind": Kind.ATLAS, "targets": ()}, "2 to 6"),
        ({"runs": tuple("abcdefg")}, "1 to 6"),
        ({"held_out": "/x.csv", "targets": ()}, "column to predict"),
        ({"rows": 99}, "asked for 99"),
        ({"rows": 10_001}, "10,000 rows"),
    ],
)
def test_an_order_no_study_could_have_is_a_mistake(fault, words):
    with pytest.raises(Mistake, match=words):
        replace(ORDER, **fault)


def test_a_steward_study_leaves_its_findings_to_the_owner_alone(finished, tmp_path, canary):
    place = study.start(tmp_path / "s" / "steward", ORDER)
    assert ended(place).state is State.DONE
    assert place.order() == ORDER
    answer = place.answer()
    assert answer["mark"].startswith("NOT PRIVATE")
    assert [f["run"] for f in answer["findings"]] == ["toy-1"]
    assert answer["findings"][0]["scores"][0]["target"] == "status"
    assert stat.S_IMODE(place.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in place.folder.iterdir()} == {0o600}
    for path in place.folder.iterdir():
        assert canary.encode() not in path.read_bytes(), path.name
    told = {(e.stage, e.fact) for e in place.events()}
    assert not any(c.isdigit() for _, fact in told for c in fact)


def test_a_new_study_takes_the_place_of_the_old_one(finished, tmp_path):
    place = study.start(tmp_path / "s", ORDER)
    with pytest.raises(Mistake, match="still being made"):
        study.start(tmp_path / "s", ORDER)
    study.stop(place)
    assert ended(place).state is State.CANCELLED
    assert place.answer() is None
    study.start(tmp_path / "s", replace(ORDER, targets=()))
    assert ended(place).state is State.DONE
    assert place.answer()["findings"][0]["scores"] == []


def test_a_killed_worker_gets_its_end_from_whoever_looks_next(tmp_path):
    place = Study(tmp_path)
    place.keep("order.json", "{}")
    place.write_status(Status(state=State.RUNNING, at=now()))
    place.write_process(replace(Process.of(os.getpid()), started=1))
    seen = study.status(place)
    assert (seen.state, seen.code) == (State.LOST, "lost")
    place.write_status(Status(state=State.RUNNING, at=now()))
    place.ask_to_stop()
    assert study.status(place).state is State.CANCELLED


def test_a_worker_that_does_not_listen_is_killed_in_the_end(finished, tmp_path, monkeypatch):
    place = study.start(tmp_path / "s", ORDER)
    os.kill(place.process().pid, signal.SIGSTOP)
    monkeypatch.setattr(study, "PATIENCE_SECONDS", 0.2)
    study.stop(place)
    assert ended(place).state is State.CANCELLED
