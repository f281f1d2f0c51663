"""A run is a task that meets the ledger: what it was charged is told with its end."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from synth.app.jobs import worker
from synth.app.jobs.kinds.release import KIND
from synth.app.jobs.store import Job, State
from synth.private.ledger import Ledger


def test_a_run_ends_with_its_charges_and_what_the_ledger_says_is_the_same(toy):
    job = Job.create(replace(toy, method="independent"))
    assert KIND.charges(job) == (0, 0)
    assert worker.main(["release", str(job.folder)]) == 0
    end = job.status()
    with closing(Ledger(Path(toy.ledger))) as ledger:
        spent = ledger.balance(toy.population).spent
    assert end.state is State.DONE and (end.spent, end.reserved) == (spent, spent)
    assert KIND.charges(job) == (spent, spent)


def test_a_run_whose_ledger_cannot_be_asked_still_has_an_end(toy):
    job = Job.create(replace(toy, method="independent"))
    Path(toy.ledger).write_text("no ledger")
    assert worker.main(["release", str(job.folder)]) == 4
    end = job.status()
    assert end.state is State.FAILED and end.spent is None
