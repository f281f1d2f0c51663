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
from synth.core.errors import Cancelled, Mistake
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


def test_one_order_makes_every_table_it_can_and_tells_the_reasons_of_the_others(run, tmp_path):
    folder = tmp_path / "further"
    asked = further.order(run="toy-1", generators=["ctgan", "refined", "independent"], rows=20)
    runner.begin(task(folder), asked)
    status = ended(folder)
    assert status.state is State.FAILED
    assert status.sentence.startswith("No table by ctgan: There is no generator")
    assert all(verify(place_of(run.spec(), name)).ok for name in ("refined", "independent"))
    done = [event.done for event in task(folder).events()]
    assert done == sorted(done) and len(done) > 6


def test_a_stop_between_two_tables_keeps_the_first(run, tmp_path):
    place = task(tmp_path / "further")
    place.folder.mkdir()
    place.write_order(further.order(run="toy-1", generators=["independent", "refined"], rows=20))

    def report(progress):
        if progress.fact.startswith("refined"):
            raise Cancelled("asked to stop")

    with pytest.raises(Cancelled):
        further.KIND.work(place, report)
    assert verify(place_of(run.spec(), "independent")).ok
    assert not place_of(run.spec(), "refined").exists()


def test_a_place_that_is_taken_is_left_alone_and_told(run, tmp_path):
    place = place_of(run.spec(), "independent")
    place.mkdir(parents=True)
    (place / "mine.txt").write_text("mine")
    start(tmp_path / "further", run="toy-1", generator="independent", rows=10)
    status = ended(tmp_path / "further")
    assert status.state is State.FAILED and "was taken meanwhile" in status.sentence
    assert [p.name for p in place.iterdir()] == ["mine.txt"]
