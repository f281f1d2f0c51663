"""A run is published by a process of its own: checked before it counts, in one step, and never twice."""

from collections.abc import Callable
from pathlib import Path

from synth.analyst.shown.notebook import write as notebook
from synth.app.jobs import runner
from synth.app.jobs.kinds import publishing
from synth.app.jobs.store import State, Task
from synth.app.project import runs
from synth.app.project.store import Project
from synth.release import publish as gate
from synth.release.documents.statement import Imprint
from synth.release.verify import verify
from tests.dates import more_than_the_day

DECISIONS = ("2026-01-01: Looked.",)
WORDS = Imprint(
    purpose="Teaching.", licence="CC0", contact="x@y.z", approvers=("A. Steward",), decisions=DECISIONS
)


def files(place: Path) -> dict[Path, bytes]:
    return {p.relative_to(place): p.read_bytes() for p in place.rglob("*") if p.is_file()}


def test_the_process_writes_what_the_gate_writes(tmp_path: Path, twice: Callable[[], Project]) -> None:
    folder, place = tmp_path / "publishing", tmp_path / "published" / "r1"
    bundle = runs.finished(twice())[0].folder
    task = Task(folder, "publishing")
    assert runner.find_status(task) is None
    runner.begin(task, publishing.order(source=bundle, place=place, imprint=WORDS))
    assert runner.wait(task, seconds=600).state is State.DONE
    assert verify(place).ok and more_than_the_day(place) == []
    gate.publish(bundle, tmp_path / "again", imprint=WORDS, notebook=notebook)
    assert files(place) == files(tmp_path / "again")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert not (folder / "draft").exists()
    assert [event.stage for event in task.events()] == ["check", "write", "verify"]
