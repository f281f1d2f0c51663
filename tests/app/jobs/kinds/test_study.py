"""A study: an answer before the end, an end for every fault, one at a time, and a folder of its own."""

import stat
from dataclasses import asdict, replace

import pytest

from synth.app.jobs import runner
from synth.app.jobs.spec import StudyKind, StudyOrder
from synth.app.jobs.store import State, Status, Task

ORDER = StudyOrder(kind=StudyKind.STEWARD, runs=("toy-1",), targets=("status",), mapped=False)


@pytest.fixture
def study(tmp_path):
    place = Task(tmp_path, "study")
    place.write_order(asdict(StudyOrder(kind=StudyKind.STEWARD, runs=("r",))))
    place.write_status(Status(state=State.QUEUED))
    return place


@pytest.fixture
def finished(toy):
    job = runner.start(replace(toy, method="independent"))
    assert runner.wait(job, seconds=600).state is State.DONE
    return job


def start(folder, order):
    place = Task(folder, "study")
    runner.begin(place, asdict(order))
    return place


def ended(place):
    end = runner.wait(place, seconds=600)
    assert end.state.is_end, end
    return end


def test_a_steward_study_leaves_its_findings_to_the_owner_alone(finished, tmp_path, canary):
    place = start(tmp_path / "s" / "steward", ORDER)
    assert ended(place).state is State.DONE
    assert StudyOrder.of(place.order()) == ORDER
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
