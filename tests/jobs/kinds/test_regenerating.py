"""Another table by anybody: the same for the same seed, and looked at when it comes back."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from synth.errors import Mistake
from synth.jobs.elsewhere.carrying import files_below
from synth.jobs.elsewhere.executor import CARD, prepared
from synth.jobs.elsewhere.here import Here
from synth.jobs.kinds import regenerating
from synth.jobs.kinds.regenerating import KIND
from synth.jobs.store import Job, Task
from synth.jobs.work import release
from synth.progress import silent
from synth.release.opened import open_bundle, zip_of


@pytest.fixture
def bundle(toy) -> Path:
    job = Job.create(replace(toy, run="toy-1", method="mst"))
    release(job.spec(), silent)
    Path(toy.data).unlink()
    return Path(job.spec().out)


@pytest.fixture
def errand(bundle: Path, tmp_path: Path):
    def made(name: str, *, of: Path = bundle, seed: int = 5, rows: int = 60) -> Task:
        order = regenerating.order(generator="independent", rows=rows, seed=seed)
        files = regenerating.files(of, open_bundle(of))
        return prepared(tmp_path / name, "regenerating", order=order, files=files)

    return made


def checksums(task: Task) -> str:
    return (task.made / "CHECKSUMS.sha256").read_text()


def test_the_order_says_all_that_the_table_depends_on(bundle: Path, errand) -> None:
    one, same, zipped, other = errand("1"), errand("2"), errand("3", of=zip_of(bundle)), errand("4", seed=6)
    for task in (one, same, zipped, other):
        Here().do(task, KIND)
        KIND.accept(task)
    assert checksums(one) == checksums(same) == checksums(zipped) != checksums(other)
    assert one.answer() == {"rows": 60}


def test_no_text_of_the_first_table_travels_but_what_is_needed(errand) -> None:
    names = list(files_below(errand("1").given))
    assert "measurements/marginals.parquet" in names and len(names) == 7
    assert not any("report" in name or name.endswith((".csv", ".zip")) for name in names)


def test_a_seed_is_of_the_answers_the_generator_and_the_rows(bundle: Path, tmp_path: Path) -> None:
    seed = regenerating.seed_of(bundle, generator="independent", rows=10)
    assert seed == regenerating.seed_of(bundle, generator="independent", rows=10) and 0 <= seed < 2**63
    shutil.copytree(bundle, tmp_path / "other")
    (tmp_path / "other" / "CHECKSUMS.sha256").write_text("another")
    others = {
        regenerating.seed_of(bundle, generator="refined", rows=10),
        regenerating.seed_of(bundle, generator="independent", rows=11),
        regenerating.seed_of(tmp_path / "other", generator="independent", rows=10),
    }
    assert len(others | {seed}) == 4


def test_a_table_that_was_changed_on_its_way_is_not_taken(errand) -> None:
    task = errand("1")
    Here().do(task, KIND)
    (csv,) = task.made.glob("data/*.csv")
    lines = csv.read_text().splitlines()
    csv.write_text("\n".join([lines[0], *lines[2:], lines[1]]) + "\n")
    with pytest.raises(Mistake, match="no table of these answers, so it was not taken"):
        KIND.accept(task)


def test_a_sound_table_of_other_answers_is_not_taken(errand, toy, tmp_path: Path) -> None:
    task = errand("1")
    Here().do(task, KIND)
    described = task.given / "measurements" / "measurements.json"
    document = json.loads(described.read_text())
    described.unlink()
    described.write_text(json.dumps(document | {"total": document["total"] + 1}))
    with pytest.raises(Mistake, match="its noisy answers are others"):
        KIND.accept(task)


def test_a_bundle_that_lacks_a_file_is_told(bundle: Path, errand) -> None:
    (bundle / "measurements" / "marginals.parquet").unlink()
    with pytest.raises(Mistake, match=r"marginals\.parquet is not there"):
        errand("1")


def test_a_card_is_wanted_for_what_a_card_fits(bundle: Path) -> None:
    opened = open_bundle(bundle)
    assert regenerating.wants(opened, generator="particles", device="auto") == CARD
    assert regenerating.wants(opened, generator="independent", device="auto") == ""
    assert regenerating.wants(opened, generator="particles", device="cpu") == ""
    assert regenerating.wants(opened, generator="independent", device="cuda") == CARD
    with pytest.raises(Mistake, match="'magic'"):
        regenerating.wants(opened, generator="magic", device="auto")
