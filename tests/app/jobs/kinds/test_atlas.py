"""A map drawn by anybody from bundles, and the order of a study that leads there."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from synth.app.jobs.elsewhere.executor import Here, prepared
from synth.app.jobs.kinds import atlas
from synth.app.jobs.kinds.study import KIND
from synth.app.jobs.spec import StudyKind, StudyOrder
from synth.app.jobs.store import Job, Task
from synth.app.jobs.work import release
from synth.app.maps import tsne
from synth.app.maps.atlas import Atlas
from synth.core.errors import Mistake
from synth.core.progress import Progress, silent


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


def _sheet(document: dict, **parts: object) -> dict:
    atlas = document["atlas"]
    return {**document, "atlas": {**atlas, "sheets": [{**atlas["sheets"][0], **parts}, *atlas["sheets"][1:]]}}


FORGED = {
    "another run": lambda d: _sheet(d, name="<script>"),
    "a run twice": lambda d: _sheet(d, name="toy-2"),
    "one fewer": lambda d: {**d, "atlas": {**d["atlas"], "sheets": d["atlas"]["sheets"][1:]}},
    "more said": lambda d: {**d, "mark": "NOT PRIVATE"},
    "more said of a sheet": lambda d: _sheet(d, words="<script>"),
    "words": lambda d: _sheet(d, points=[["<b>", 0.0], *d["atlas"]["sheets"][0]["points"][1:]]),
    "no number": lambda d: {**d, "atlas": {**d["atlas"], "x": [float("nan"), *d["atlas"]["x"][1:]]}},
    "a point too few": lambda d: _sheet(d, points=d["atlas"]["sheets"][0]["points"][1:]),
    "another grid": lambda d: _sheet(d, depth=d["atlas"]["sheets"][0]["depth"][1:]),
    "unmapped": lambda d: {**d, "unmapped": ["toy-1"]},
    "nothing": lambda d: {},
    "a list": lambda d: {**d, "atlas": []},
}


def test_a_map_from_elsewhere_is_of_the_runs_and_of_numbers(
    runs: tuple[str, ...], toy, tmp_path: Path
) -> None:
    files = atlas.files({run: Path(toy.out + run) for run in runs})
    errand = prepared(tmp_path / "errand", "atlas", order=atlas.order(runs=runs, rows=200), files=files)
    Here().do(errand, atlas.KIND)
    atlas.KIND.accept(errand)
    sound = errand.answer()
    assert sound is not None
    for name, forge in FORGED.items():
        errand.keep("answer.json", json.dumps(forge(sound)))
        with pytest.raises(Mistake, match="not a map of these tables"):
            atlas.KIND.accept(errand)
            pytest.fail(name)
