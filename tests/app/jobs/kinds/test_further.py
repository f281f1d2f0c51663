"""Further tables of a finished run, by the real process: from its answers alone, and for free."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from synth.app.jobs import runner
from synth.app.jobs.kinds import further
from synth.app.jobs.spec import place_of
from synth.app.jobs.store import Job, State, Status, Task
from synth.app.jobs.work import release
from synth.core.errors import Mistake
from synth.core.progress import silent
from synth.private.ledger import Ledger
from synth.release.opened import open_bundle
from synth.release.verify import verify


@pytest.fixture
def run(toy):
    """A finished run whose private file is gone."""
    job = Job.create(replace(toy, run="toy-1", method="mst"))
    release(job.spec(), silent)
    Path(toy.data).unlink()
    return job


def task(folder: Path) -> Task:
    return Task(folder, "further")


def start(folder: Path, *, run: str, generator: str, rows: int) -> None:
    runner.begin(task(folder), further.order(run=run, generators=[generator], rows=rows))


def ended(folder: Path, *, seconds: float = 600) -> Status:
    status = runner.wait(task(folder), seconds=seconds)
    assert status.state.is_end, status
    return status


def test_a_further_table_needs_no_private_file_and_charges_nothing(run, tmp_path):
    spec = run.spec()
    with closing(Ledger(Path(spec.ledger))) as ledger:
        before = ledger.balance(spec.population)
    start(tmp_path / "further", run="toy-1", generator="independent", rows=123)
    assert ended(tmp_path / "further").state is State.DONE
    place = place_of(spec, "independent")
    assert verify(place).ok
    assert len((place / "data" / "synthetic.csv").read_text().splitlines()) == 124
    first, other = open_bundle(spec.out).statement, open_bundle(place).statement
    assert other["claim"] == first["claim"]
    with pytest.raises(Mistake, match="already"):
        start(tmp_path / "further", run="toy-1", generator="independent", rows=123)
    with closing(Ledger(Path(spec.ledger))) as ledger:
        assert ledger.balance(spec.population) == before
