"""Rows alone are written by a process of its own: whole or not at all, and for nothing."""

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq

from synth.app.jobs import runner
from synth.app.jobs.kinds import rows
from synth.app.jobs.store import Job, State, Task
from synth.app.project.store import Project
from synth.release.rows import checks_beside
from tests.dates import more_than_the_day

Twice = Callable[[], Project]


def test_a_file_is_written_with_its_checks_and_nothing_is_charged(twice: Twice, tmp_path: Path) -> None:
    bundle, ledger = Path(Job.find(twice().runs[-1]).spec().out), tmp_path / "ledger.sqlite"
    before, place = ledger.read_bytes(), tmp_path / "files" / "r.parquet"
    task = Task(tmp_path / "task", "rows")
    runner.begin(task, rows.order(bundle=bundle, place=place, rows=300_000))
    status = runner.wait(task, seconds=600)
    assert status.state is State.DONE, status
    answer = task.answer() or {}
    assert pq.read_metadata(place).num_rows == answer["rows"] == 300_000
    assert checks_beside(place).exists() and answer["seconds"] > 0
    assert more_than_the_day(place) + more_than_the_day(checks_beside(place)) == []
    assert any("300,000 rows" in event.fact for event in task.events())
    assert ledger.read_bytes() == before
