from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from synth.app.jobs import kept_fits
from synth.app.jobs.kept_fits import KeptFits
from synth.app.jobs.store import Job
from synth.app.jobs.work import release
from synth.core.errors import Cancelled, Code, Mistake, Refusal
from synth.core.progress import silent
from synth.core.request import People
from synth.models.networks import network_torch
from synth.models.networks.network import ENDED
from synth.private.ledger import Ledger
from synth.release.verify import verify
from tests.dates import more_than_the_day


def contents(folder):
    return {p.relative_to(folder): p.read_bytes() for p in Path(folder).rglob("*") if p.is_file()}


def test_the_same_run_again_writes_the_same_bytes_and_spends_nothing(toy):
    toy = replace(toy, method="independent")
    facts = []
    release(toy, facts.append)
    first = contents(toy.out)
    assert more_than_the_day(Path(toy.out)) == []
    assert "opened the lifetime budget" in facts[0].fact
    ledger = Ledger(Path(toy.ledger))
    spent = ledger.balance(toy.population)
    release(replace(toy, out=toy.out + "2"), silent)
    assert contents(toy.out + "2") == first
    release(toy, silent)  # killed after the bundle was in its place
    assert contents(toy.out) == first
    assert ledger.balance(toy.population) == spent
    ledger.close()
    assert not list(Path(toy.out).parent.glob("*.part*"))


def test_new_people_are_checked_again_when_a_run_begins(toy):
    """Another release of their population may have been made while the run waited."""
    toy = replace(toy, method="independent")
    release(toy, silent)
    late = replace(toy, run="late", people=People.NEW, new_to=("earlier",), out=toy.out + "2")
    with pytest.raises(Mistake, match="has a release already"):
        release(late, silent)
    with closing(Ledger(Path(toy.ledger))) as ledger:
        assert [run.run for run in ledger.runs()] == [toy.run]


def test_what_somebody_put_at_the_place_stays(toy):
    toy = replace(toy, method="independent")
    Path(toy.out).mkdir()
    mine = Path(toy.out) / "mine.txt"
    mine.write_text("mine")
    with pytest.raises(Mistake, match="was taken during the run"):
        release(toy, silent)
    assert mine.read_text() == "mine"
    mine.unlink()
    release(toy, silent)
    assert verify(toy.out).ok


def test_what_the_disk_refuses_is_told_and_what_was_paid_for_is_kept(toy, tmp_path, monkeypatch):
    toy = replace(toy, method="independent")
    monkeypatch.setattr(Path, "rename", lambda draft, out: (tmp_path / "none").rmdir())
    with pytest.raises(Mistake) as caught:
        release(toy, silent)
    sentence = str(caught.value)
    assert f"{toy.out!r} cannot be written to (No such file or directory)" in sentence
    assert f"release --resume {toy.run} --out" in sentence and "taken during the run" not in sentence
    monkeypatch.undo()
    assert not Path(toy.out).exists()
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(Mistake, match=r"cannot be written to \(File exists"):
        release(replace(toy, out=str(file / "x")), silent)
    with closing(Ledger(Path(toy.ledger))) as ledger:
        spent = ledger.balance(toy.population).spent
        release(toy, silent)
        assert ledger.balance(toy.population).spent == spent > 0
    assert verify(toy.out).ok


def test_a_rehearsal_needs_a_public_file_and_is_marked(toy):
    rehearsal = replace(toy, rehearsal=3, method="independent")
    with pytest.raises(Mistake, match="public"):
        release(rehearsal, silent)
    release(replace(rehearsal, schema={**toy.schema, "file_is_public": True}), silent)
    verdict = verify(toy.out)
    assert verdict.ok
    assert verdict.rehearsal


def test_a_resumed_run_refuses_another_file_and_takes_the_old_one_again(toy):
    toy = replace(toy, method="independent")
    job = Job.create(toy)

    def stop(progress):
        if progress.stage != "ingest":
            return
        raise Cancelled("The work was stopped.")

    def stop_late(progress):
        if progress.stage == "sample":
            raise Cancelled("The work was stopped.")

    with pytest.raises(Cancelled):
        release(toy, stop, job=job)
    assert not job.vault.exists()  # nothing has been read, so nothing is remembered
    with pytest.raises(Cancelled):
        release(toy, stop_late, job=job)
    assert job.vault.stat().st_mode & 0o777 == 0o600
    path = Path(toy.data)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"single", b"married", 1))
    with pytest.raises(Refusal) as caught:
        release(toy, silent, job=job)
    assert caught.value.code is Code.FILE_CHANGED
    path.write_bytes(content)
    release(toy, silent, job=job)
    assert verify(toy.out).ok
    assert job.vault.name not in {p.name for p in Path(toy.out).rglob("*")}


def test_a_stopped_run_keeps_what_it_fitted_until_it_is_done(toy, canary, monkeypatch):
    """And ends with the bytes of a run of the same answers that nobody stopped and that kept nothing."""
    steps, gradient = [], network_torch.gradient

    def counted(*given):
        steps.append(1)
        return gradient(*given)

    monkeypatch.setattr(network_torch, "gradient", counted)
    monkeypatch.setattr(kept_fits, "LEAST_SECONDS", 0.0)
    sizes = {"width": 8, "batch": 16, "steps": 6, "round_steps": 3}
    toy = replace(toy, method="margnet", generator_options=sizes, device="cpu", options={"rounds": 20})
    job, stops = Job.create(toy), ["rounds", "rounds", "rounds", "sample"]

    def stop(progress):
        if progress.stage == stops[0]:
            stops.pop(0)
            if len(stops) < 2:
                raise Cancelled("The work was stopped.")

    with pytest.raises(Cancelled):
        release(toy, stop, job=job)
    files = sorted(job.fits.iterdir())
    assert len(files) == 4 and len(steps) == 4 * 3  # of the columns, and of three rounds
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert job.fits.stat().st_mode & 0o777 == 0o700
    with pytest.raises(Cancelled):
        release(toy, stop, job=job)
    assert len(steps) > 4 * 3 and set(files) < set(job.fits.iterdir())
    for path in job.fits.iterdir():
        assert canary.encode() not in path.read_bytes()
        (name, kept), *more = KeptFits(job.fits).read(path.stem).items()
        assert (name, kept.dtype, more) == (ENDED, np.float32, []), "weights, and nothing else"
    made = len(steps)
    release(toy, silent, job=job)
    assert len(steps) == made and not job.fits.exists() and verify(toy.out).ok
    steps.clear()
    release(replace(toy, out=toy.out + "2"), silent)
    assert len(steps) == made and contents(toy.out + "2") == contents(toy.out)
