"""A map drawn by anybody from bundles, and the order of a study that leads there."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from synth.embed import tsne
from synth.embed.atlas import Atlas
from synth.errors import Mistake
from synth.jobs.kinds import atlas
from synth.jobs.kinds.study import KIND
from synth.jobs.store import Job, Task
from synth.jobs.study import StudyKind, StudyOrder
from synth.jobs.work import release
from synth.progress import Progress, silent


@pytest.fixture
def runs(toy, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Two finished runs whose private file is gone."""
    monkeypatch.setattr(tsne, "EARLY", 25)
    monkeypatch.setattr(tsne, "LATE", 50)
    for name in ("toy-1", "toy-2"):
        spec = replace(toy, run=name, method="independent", epsilon=0.5, out=toy.out + name)
        release(Job.create(spec).spec(), silent)
    Path(toy.data).unlink()
    return ("toy-1", "toy-2")


def test_a_map_needs_no_private_table_and_says_who_drew_it(runs: tuple[str, ...], tmp_path: Path) -> None:
    task = Task(tmp_path / "study", "study")
    task.folder.mkdir()
    task.write_order(asdict(StudyOrder(kind=StudyKind.ATLAS, runs=runs, rows=200)))
    told: list[Progress] = []
    answer = KIND.work(task, told.append)
    assert answer is not None and "mark" not in answer and "findings" not in answer
    assert [s.name for s in Atlas.from_json(answer["atlas"]).sheets] == list(answer["runs"]) == list(runs)
    assert task.where() == "this machine" and not (task.folder / "errand").exists() and len(told) > 1


def test_a_run_that_is_not_there_is_told(runs: tuple[str, ...], tmp_path: Path) -> None:
    task = Task(tmp_path / "study", "study")
    task.folder.mkdir()
    task.write_order(asdict(StudyOrder(kind=StudyKind.ATLAS, runs=(*runs, "toy-9"))))
    with pytest.raises(Mistake, match="no finished table 'toy-9'"):
        KIND.work(task, silent)


def test_an_order_names_runs_and_no_place(runs: tuple[str, ...], toy) -> None:
    files = atlas.files({run: Path(toy.out + run) for run in runs})
    assert {name.split("/")[0] for name in files} == set(runs)
    assert atlas.order(runs=runs, rows=7) == {"runs": list(runs), "rows": 7} and atlas.KIND.is_public
