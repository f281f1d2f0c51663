"""One table under two populations is told before anything is reserved, and never by a plain hash."""

import hashlib
import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from synth.app.jobs import released_files, runner, worker
from synth.app.jobs.released_files import ReleasedBefore
from synth.app.jobs.store import Job, State
from synth.core.system.places import home
from synth.dictionaries import load_schema
from synth.private.ledger import Ledger
from synth.release.reading.starting import read_start


@pytest.fixture
def small(toy):
    return replace(toy, method="independent", rows=50)


def other(spec, **changes):
    schema = {**spec.schema, "population": "another-town"}
    named = {"run": "second", "population": "another-town", "schema": schema, "out": spec.out + "-2"}
    return replace(spec, **named | changes)


def check(spec):
    released_files.check(Path(spec.data), population=spec.population, run=spec.run, ledger=Path(spec.ledger))


def run(spec):
    job = Job.create(spec)
    worker.main(["release", str(job.folder)])
    return job, job.status()


def test_the_same_file_under_another_population_stops_before_it_reserves(small):
    assert run(small)[1].state is State.DONE
    copy = Path(small.data).with_name("copy.csv")
    copy.write_bytes(Path(small.data).read_bytes())
    job, end = run(other(small, data=str(copy)))
    assert (end.state, end.code, end.exit_code) == (State.FAILED, released_files.CODE, 2)
    assert repr(small.population) in end.sentence and "No budget was reserved" in end.sentence
    assert (end.spent, end.reserved) == (0, 0)
    with closing(Ledger(Path(small.ledger))) as ledger:
        assert ledger.balance("another-town").limit is None
    runner.resume(job, other_people=True)
    assert runner.wait(job, seconds=600).state is State.DONE


def test_a_start_that_is_a_copy_of_the_private_file_is_refused_before_anything_is_reserved(toy):
    copy = Path(toy.data).with_name("public.csv")
    copy.write_bytes(Path(toy.data).read_bytes())
    start = read_start(copy, load_schema(toy.schema), source="a survey")
    _, end = run(replace(toy, start=str(copy), start_source=start.source, start_digest=start.digest))
    assert end.state is State.FAILED and "the private table of a release" in end.sentence
    assert (end.spent, end.reserved) == (0, 0)


def test_nothing_that_leaves_tells_of_the_other_population(small):
    assert run(small)[1].state is State.DONE
    second = other(small)
    job, end = run(second)
    assert "Keep this message confidential" in end.sentence
    job.say_other_people()
    worker.main(["release", str(job.folder)])
    assert job.status().state is State.DONE and released_files.CODE not in job.status().to_json()
    left = [path for path in Path(second.out).rglob("*") if path.is_file()]
    stated = [str(event).encode() for event in job.events()]
    assert len(left) > 10 and stated
    code = released_files.CODE
    words = (small.population, code, "other-people", "other people", "another population", "same file")
    for content in (*(path.read_bytes() for path in left), *stated):
        assert not [word for word in words if word.encode() in content]


def test_a_run_that_has_reserved_and_reads_its_file_counts_until_it_is_closed(small):
    check(small)
    with closing(Ledger(Path(small.ledger))) as ledger:
        protects = load_schema(small.schema).protects
        ledger.open_population(small.population, units=10**12, protects=protects, reason="x")
        ledger.open_run(small.population, small.run, units=10**9, protects=protects, label="x")
        second = other(small)
        with pytest.raises(ReleasedBefore, match="is about to be released") as refused:
            check(second)
        assert repr(small.population) in str(refused.value) and f"the run {small.run!r}" in str(refused.value)
        check(small)  # the run itself goes on
        ledger.close_run(small.run)
    check(second)


def test_another_file_the_same_population_and_a_run_that_spent_nothing_are_no_matter(small):
    broken = replace(small, run="broken", schema={**small.schema, "file": {"delimiter": ";"}})
    stopped, end = run(broken)
    assert end.code == "header_single"
    runner.discard(stopped)
    assert run(other(small))[1].state is State.DONE
    again = other(small, run="third", out=small.out + "-3")
    assert run(again)[1].state is State.DONE
    grown = Path(small.data).with_name("grown.csv")
    grown.write_bytes(Path(small.data).read_bytes() + b"\n")
    assert run(replace(small, run="fourth", data=str(grown)))[1].state is State.DONE


@pytest.mark.parametrize("loss", ["gone", "damaged", "not stated"])
def test_a_run_whose_ledger_cannot_be_asked_counts_as_one_that_has_spent(small, loss):
    check(small)
    ledger = Path(small.ledger)
    if loss == "not stated":  # as early versions wrote it
        path = home() / "known" / released_files.FILES
        (digest,) = json.loads(path.read_text())
        path.write_text(json.dumps({digest: {small.run: small.population}}))
    elif loss == "damaged":
        ledger.write_bytes(b"no ledger")
    with pytest.raises(ReleasedBefore, match="was released before"):
        check(other(small))
    check(small)


def test_what_is_kept_says_nothing_about_the_file_and_is_the_owners_alone(small):
    check(small)
    folder = home() / "known"
    assert folder.stat().st_mode & 0o777 == 0o700
    content = Path(small.data).read_bytes()
    for path in folder.iterdir():
        assert path.stat().st_mode & 0o077 == 0
        kept = path.read_bytes()
        assert Path(small.data).name.encode() not in kept
        for name in ("md5", "sha1", "sha256", "blake2b"):
            assert hashlib.new(name, content).hexdigest().encode() not in kept
        assert hashlib.blake2b(content, digest_size=32).hexdigest().encode() not in kept
