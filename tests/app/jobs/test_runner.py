"""Real workers on a toy table: started, stopped, killed, resumed."""

import os
import random
import signal
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from synth.app.jobs import runner
from synth.app.jobs.executor import LOCAL
from synth.app.jobs.kept_fits import KeptFits
from synth.app.jobs.store import State
from synth.core.errors import Mistake
from synth.dictionaries import load_schema
from synth.private.ledger import Ledger
from synth.release.plan import price_of
from synth.release.verify import verify
from tests.ledgers import halfway


@pytest.fixture
def stored(toy):
    """The stored answers of the toy run, by part and step."""

    def read():
        if not Path(toy.ledger).exists():
            return {}
        with closing(Ledger(Path(toy.ledger))) as ledger:
            return {(a.part, a.step): (a.units, a.blob) for a in ledger.answers(toy.run)}

    return read


@pytest.fixture
def run_of(toy):
    """The ledger's own view of the toy run and of its budget line."""

    def read():
        with closing(Ledger(Path(toy.ledger))) as ledger:
            (run,) = ledger.runs()
            return run, ledger.balance(toy.population), ledger.verify()

    return read


def units_of(spec):
    """What a run reserves."""
    return price_of(spec, load_schema(spec.schema)).units


def kill(job):
    job.process().signal(signal.SIGKILL)
    while LOCAL.is_alive(job):
        time.sleep(0.005)


def test_a_run_leaves_a_whole_bundle_an_honest_end_and_no_private_text(toy, canary, run_of):
    job = runner.start(toy)
    end = runner.wait(job, seconds=600)
    assert end.state is State.DONE, end
    assert verify(toy.out).problems == ()
    run, balance, _ = run_of()
    assert (end.spent, end.reserved) == (run.spent, run.spent)
    assert run.closed
    assert 0.95 * units_of(toy) <= run.spent <= units_of(toy)
    assert balance.spent == run.spent
    assert balance.reserved == 0
    facts = list(job.events())
    assert {"ingest", "bundle"} <= {event.stage for event in facts}
    for folder in (job.folder, Path(toy.out), Path(toy.ledger).parent):
        for path in folder.rglob("*"):
            if path.is_file() and path.name not in ("spec.json", Path(toy.data).name):
                assert canary.encode() not in path.read_bytes(), path


def kill_after(job, spec, answers, draw):
    """Let the worker go on until the ledger holds that many answers, then kill it somewhere near."""
    with halfway(Path(spec.ledger), answers) as db:
        if draw.random() < 0.5:
            db.execute("ROLLBACK")
            time.sleep(draw.random() * 0.005)
        kill(job)


def keep_a_fit(job):
    """As a worker does that was long at it."""
    KeptFits(job.fits).write("a" * 64, {"weights": np.zeros(3, dtype=np.float32)})
    assert list(job.fits.iterdir())


@pytest.mark.long
def test_ten_kills_lose_nothing_and_spend_nothing_twice(wide, stored, run_of):
    draw, toy = random.Random(3), wide
    job, known = runner.start(toy), {}
    for _ in range(10):
        kill_after(job, toy, len(known) + draw.randrange(3), draw)
        seen, after = runner.status(job), stored()
        assert (seen.state, seen.exit_code) == (State.LOST, 6)
        assert known.items() <= after.items()
        assert sum(units for units, _ in after.values()) <= seen.spent <= units_of(toy)
        known = after
        runner.resume(job)
    assert runner.wait(job, seconds=600).state is State.DONE
    final = stored()
    run, balance, _ = run_of()
    assert known.items() <= final.items()
    assert run.spent == sum(units for units, _ in final.values()) == balance.spent
    assert run.spent <= units_of(toy)
    assert len(known) >= 8  # the kills fell into the middle of the work
    assert verify(toy.out).problems == ()


def test_a_stopped_run_keeps_its_answers_and_goes_on_from_there(wide, stored, run_of):
    job = runner.start(wide)
    with halfway(Path(wide.ledger), 8):
        runner.cancel(job)
    seen = runner.wait(job, seconds=600)
    assert (seen.state, seen.exit_code) == (State.CANCELLED, 5)
    before = stored()
    assert seen.spent == sum(units for units, _ in before.values())
    assert seen.reserved == units_of(wide)
    assert not Path(wide.out).exists()
    runner.resume(job)
    assert runner.wait(job, seconds=600).state is State.DONE
    assert before.items() <= stored().items()
    assert run_of()[0].spent <= units_of(wide)


@pytest.mark.long
def test_a_discarded_run_gives_back_the_rest_and_does_not_go_on(wide, stored, run_of):
    job = runner.start(wide)
    with halfway(Path(wide.ledger), 3):
        with pytest.raises(Mistake, match="still running"):
            runner.discard(job)
        with pytest.raises(Mistake, match="still running"):
            runner.resume(job)
        kill(job)
    spent = sum(units for units, _ in stored().values())
    keep_a_fit(job)
    seen = runner.discard(job)
    assert not job.fits.exists()
    run, balance, _ = run_of()
    assert run.closed
    assert seen.spent == run.spent >= spent
    assert balance.reserved == 0
    assert balance.spent == run.spent
    with pytest.raises(Mistake, match="was discarded"):
        runner.resume(job)


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL])
def test_a_crash_gets_an_honest_end_from_whoever_looks_next(toy, until, number):
    job = runner.start(toy)
    until(job, lambda seen: seen.state is State.RUNNING)
    os.kill(job.process().pid, number)
    while LOCAL.is_alive(job):
        time.sleep(0.01)
    assert not job.status().state.is_end, "nobody has looked yet"
    runner.status(job)
    assert (job.status().state, job.status().code) == (State.LOST, "lost")
