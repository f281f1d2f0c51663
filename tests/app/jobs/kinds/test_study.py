"""A study leaves its answer to the owner alone."""

import stat
from dataclasses import asdict, replace

from synth.app.jobs import runner
from synth.app.jobs.spec import StudyKind, StudyOrder
from synth.app.jobs.store import State, Task
from synth.core.documents import read_as

ORDER = StudyOrder(kind=StudyKind.STEWARD, runs=("toy-1",), targets=("status",), mapped=False)


def test_a_steward_study_leaves_its_findings_to_the_owner_alone(toy, tmp_path, canary):
    job = runner.start(replace(toy, method="independent"))
    assert runner.wait(job, seconds=600).state is State.DONE
    place = Task(tmp_path / "s" / "steward", "study")
    runner.begin(place, asdict(ORDER))
    assert runner.wait(place, seconds=600).state is State.DONE
    assert read_as(StudyOrder, place.order()) == ORDER
    answer = place.answer()
    assert answer["mark"].startswith("NOT PRIVATE")
    assert [f["run"] for f in answer["findings"]] == ["toy-1"]
    assert answer["findings"][0]["scores"][0]["target"] == "status"
    assert stat.S_IMODE(place.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in place.folder.iterdir()} == {0o600}
    for path in place.folder.iterdir():
        assert canary.encode() not in path.read_bytes(), path.name
    stated = {(e.stage, e.fact) for e in place.events()}
    assert not any(c.isdigit() for _, fact in stated for c in fact)
