"""The accuracy of a released table is measured by a process of its own: charged once, resumed or closed."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from synth.app.jobs import budget, runner, worker
from synth.app.jobs.kinds import judging
from synth.app.jobs.spec import place_of
from synth.app.jobs.store import Job, State, Task
from synth.app.jobs.work import further, release
from synth.core.errors import SENTENCES, Code, Mistake
from synth.core.progress import silent
from synth.private.ledger import Ledger
from synth.release import bundle
from synth.release.opened import open_bundle
from synth.release.verdict.judgement import Judgement
from tests.dates import more_than_the_day


@pytest.fixture
def run(toy):
    """A finished run without an accuracy check, and a further table of it."""
    job = Job.create(replace(toy, method="mst", verdict=0.0))
    release(job.spec(), silent)
    table = further(open_bundle(toy.out), generator="independent", rows=200, seed=1)
    bundle.write(table, place_of(job.spec(), "independent"))
    return job.spec()


def begun(folder: Path, run, package: Path, monkeypatch: pytest.MonkeyPatch, **changes) -> Task:
    """A measurement without its process, which the test runs in its own."""
    monkeypatch.setattr("synth.app.jobs.executor.LocalProcesses.start", lambda self, task: None)
    task, price = Task(folder, "judging"), {"epsilon": 2.0, "delta": 1e-9, "target": None}
    order = judging.order(package=package, data=run.data, ledger=Path(run.ledger), **price)
    runner.begin(task, order | changes)
    return task


def test_a_further_table_is_measured_by_a_real_process(run, tmp_path, canary):
    package, task = place_of(run, "independent"), Task(tmp_path / "judging", "judging")
    assert more_than_the_day(package) == []
    before = {path: path.read_bytes() for path in package.rglob("*") if path.is_file()}
    price = {"epsilon": 2.0, "delta": 1e-9, "target": "status"}
    runner.begin(task, judging.order(package=package, data=run.data, ledger=Path(run.ledger), **price))
    end = runner.wait(task, seconds=600)
    assert end.state is State.DONE, end
    found = Judgement.read(json.loads(judging.place_of(package).read_text()))
    assert found.verdict.is_of_this_table and found.verdict.predicted[0].target == "status"
    with closing(Ledger(Path(run.ledger))) as book:
        entry = book.runs()[-1]
        assert book.verify(found.document["receipt"])
    assert (entry.run, entry.spent) == (task.order()["run"], found.document["spent_units"])
    assert (end.spent, end.reserved) == (entry.spent, entry.spent) and entry.closed
    assert before == {path: path.read_bytes() for path in package.rglob("*") if path.is_file()}
    assert more_than_the_day(judging.place_of(package)) == []
    for path in (*task.folder.iterdir(), judging.place_of(package)):
        assert path.stat().st_mode & 0o077 == 0
        assert path.name == "order.json" or canary.encode() not in path.read_bytes(), path


def test_an_interrupted_measurement_continues_without_a_second_charge_or_is_closed(
    run, tmp_path, monkeypatch
):
    package = Path(run.out)
    task = begun(tmp_path / "judging", run, package, monkeypatch)
    with monkeypatch.context() as broken:
        broken.setattr("synth.pipeline.verdict_of", None)  # after the answers, before the document
        worker.run(task, judging.KIND)
    failed = runner.status(task)
    assert failed.state is State.FAILED and "Resume to continue" in failed.sentence
    spent = failed.spent
    assert spent and not judging.place_of(package).exists()
    content = Path(run.data).read_bytes()
    Path(run.data).write_bytes(content.replace(b"single", b"married", 1))
    runner.again(task)
    assert worker.run(task, judging.KIND) != 0
    assert runner.status(task).sentence == SENTENCES[Code.FILE_CHANGED], "it goes on with its file alone"
    Path(run.data).write_bytes(content)
    runner.again(task)
    assert worker.run(task, judging.KIND) == 0
    assert runner.status(task).spent == spent and judging.place_of(package).exists()

    other = begun(tmp_path / "other", run, place_of(run, "independent"), monkeypatch)
    monkeypatch.setattr("synth.pipeline.open_table", None)
    worker.run(other, judging.KIND)
    end = runner.status(other)
    assert end.spent == 0 and end.reserved
    assert budget.close(Path(run.ledger), other.order()["run"]) == 0
    with closing(Ledger(Path(run.ledger))) as book:
        assert book.balance(run.population).reserved == 0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"epsilon": 0.001}, "too much to be useful"),
        ({"epsilon": 200.0}, "does not cover"),
        ({"data": "/no.csv"}, ""),
    ],
)
def test_what_cannot_be_measured_ends_with_its_reason_and_costs_nothing(
    run, tmp_path, monkeypatch, changes, said
):
    with closing(Ledger(Path(run.ledger))) as book:
        before = book.balance(run.population).spent
    task = begun(tmp_path / "judging", run, Path(run.out), monkeypatch, **changes)
    with pytest.raises(Mistake, match="running already"):
        runner.begin(task, task.order())
    assert worker.run(task, judging.KIND) != 0
    end = runner.status(task)
    assert end.state is State.FAILED and said in end.sentence and end.spent == 0
    with closing(Ledger(Path(run.ledger))) as book:
        assert book.balance(run.population).spent == before
