"""What a study answers, on real bundles made by the real worker."""

from dataclasses import replace
from pathlib import Path

import pytest

from synth.app.jobs.spec import REAL, StudyKind, StudyOrder
from synth.app.jobs.store import Job
from synth.app.jobs.study_work import study
from synth.app.jobs.work import release
from synth.app.maps import tsne
from synth.app.maps.atlas import Atlas
from synth.core.documents import read_as
from synth.core.progress import silent
from synth.evaluate.findings import Findings


@pytest.fixture
def runs(toy, monkeypatch):
    """Two finished runs of the toy table."""
    monkeypatch.setattr(tsne, "EARLY", 25)
    monkeypatch.setattr(tsne, "LATE", 50)
    for name in ("toy-1", "toy-2"):
        spec = replace(toy, run=name, method="independent", epsilon=0.5, out=toy.out + name)
        release(Job.create(spec).spec(), silent)
    return ("toy-1", "toy-2")


def test_a_steward_study_compares_every_run_and_keeps_no_real_point(runs):
    facts = []
    answer = study(StudyOrder(kind=StudyKind.STEWARD, runs=runs), facts.append)
    assert next(iter(answer)) == "mark"
    first, second = (Findings.from_json(f) for f in answer["findings"])
    assert (first.run, second.run) == runs
    assert {c.name for c in first.columns} == {"age", "income", "joined", "school", "status", "ward"}
    assert 0 < first.mean[1] < first.mean[2] < 1
    atlas = read_as(Atlas, answer["atlas"])
    assert [s.name for s in atlas.sheets] == [REAL, *runs]
    assert [bool(s.points) for s in atlas.sheets] == [False, True, True]
    done = [p.done for p in facts]
    assert done == sorted(done) and done[-1] <= 1.0


def test_a_map_needs_no_private_table(runs, toy):
    Path(toy.data).unlink()
    answer = study(StudyOrder(kind=StudyKind.ATLAS, runs=runs, rows=200), silent)
    assert set(answer) == {"runs", "atlas", "unmapped"}
    assert [sheet.name for sheet in read_as(Atlas, answer["atlas"]).sheets] == list(runs)
