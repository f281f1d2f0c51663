"""Finished runs by number and name, and what their bundles call the columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from synth.errors import Mistake
from synth.jobs import runner
from synth.jobs.store import Job, State, Status
from synth.release.verify import verify
from synth.ui import desk, finished
from synth.ui.project import Project

Twice = Callable[[], Project]


def test_runs_keep_their_number_whatever_became_of_the_others(twice: Twice) -> None:
    project = twice()
    spec = replace(Job.find(project.runs[0]).spec(), run="lost-run")
    Job.create(spec).write_status(Status(state=State.LOST))
    found = finished.finished(replace(project, runs=(project.runs[0], "lost-run", project.runs[1])))
    assert [one.name for one in found] == ["Run 1", "Run 3"]
    assert found[0].label == "Run 1: Independent columns, epsilon 0.5"
    assert found[0].folder == desk.bundle(replace(project, runs=project.runs[:1]))


def test_a_further_table_follows_its_run_under_a_name_of_its_own(twice: Twice) -> None:
    project = twice()
    project = desk.start(
        replace(project, method=replace(project.method, name="mst", extras=("independent", "magic")))
    )
    assert runner.wait(Job.find(project.runs[-1]), seconds=600).state is State.DONE
    found = finished.tables(project)
    assert [one.name for one in found] == ["Run 1", "Run 2", "Run 3", "Run 3, again by Independent columns"]
    assert len({one.run for one in found}) == 4 and finished.finished(project) == found[:3]
    assert verify(found[-1].folder).ok and found[-1].folder != found[-2].folder


def test_a_bundle_names_its_columns_and_codes(twice: Twice) -> None:
    one = finished.finished(twice())[0]
    known = finished.columns_of(one)
    assert list(known) == ["age", "ward"]
    assert known["ward"].labels[:2] == ("a", "b")
    assert known["age"].title == "age"


def test_a_damaged_bundle_is_a_mistake(twice: Twice) -> None:
    one = finished.finished(twice())[0]
    (one.folder / "measurements" / "measurements.json").write_text("{")
    (one.folder / "CHECKSUMS.sha256").write_text("changed")
    with pytest.raises(Mistake, match="cannot be read"):
        finished.columns_of(one)
