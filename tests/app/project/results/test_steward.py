"""The steward's room: closed until opened, no look without a line in the log, and walls around it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from synth.app.jobs import runner
from synth.app.jobs.store import State
from synth.app.project import decisions, journey
from synth.app.project.results import steward
from synth.app.project.results.released import read
from synth.app.project.runs import finished
from synth.app.project.store import Project
from synth.core.errors import Mistake

ROOT = Path(__file__).parents[4]
Twice = Callable[[], Project]


def compared(project: Project, **order: Any) -> None:
    usual = {"targets": (), "held_out": "", "mapped": False, "rows": 100}
    steward.begin(project, project.runs, **usual | order)
    seen = runner.wait(steward.study_of(project), seconds=600)
    assert seen.state is State.DONE, seen


def opened(project: Project) -> Project:
    return journey.settle(project, steward.STEP)


def test_a_closed_room_shows_nothing_even_if_a_comparison_lies_there(twice: Twice) -> None:
    project = twice()
    compared(project)
    with pytest.raises(Mistake, match="not been opened"):
        steward.reveal(project, finished(project))
    assert not decisions.has_looked(project)


def test_a_look_is_written_down_before_anything_is_seen(twice: Twice) -> None:
    project = opened(twice())
    assert steward.reveal(project, finished(project)) is None
    assert not decisions.has_looked(project)
    compared(project, targets=("ward",))
    for _ in range(2):
        found = steward.reveal(project, finished(project))
    assert found is not None
    assert list(found.findings) == list(project.runs)
    (entry,) = decisions.log(project)
    assert (
        entry.sentence
        == "Saw the exact comparison of Run 1, Run 2 with the private table (private evaluation)."
    )


def test_the_reason_of_a_failure_is_a_look_too(twice: Twice) -> None:
    project = opened(twice())
    steward.record_failure(project)
    compared(project)
    steward.record_failure(project)
    assert not decisions.has_looked(project)
    place = steward.study_of(project)
    place.write_status(replace(runner.status(place), state=State.FAILED, sentence="A blank is in the way."))
    for _ in range(2):
        steward.record_failure(project)
    (entry,) = decisions.log(project)
    assert entry.sentence == decisions.FAILED_LOOK


def test_held_out_rows_come_from_the_data_folder_and_are_not_the_released_table(twice: Twice) -> None:
    project = twice()
    for typed, words in (("../x.csv", "outside"), ("none.csv", "no file"), ("town.csv", "was released")):
        with pytest.raises(Mistake, match=words):
            steward.begin(project, project.runs, targets=("ward",), held_out=typed, mapped=False, rows=100)
    assert not steward.study_of(project).exists


def test_nothing_of_a_comparison_reaches_the_bundle_or_the_public_reader(twice: Twice) -> None:
    project = opened(twice())
    before = {p: p.read_bytes() for p in (project.folder / "releases").rglob("*") if p.is_file()}
    compared(project, targets=("ward",))
    steward.reveal(project, finished(project))
    after = {p: p.read_bytes() for p in (project.folder / "releases").rglob("*") if p.is_file()}
    assert before == after
    assert "canary-note" not in (steward.study_of(project).folder / "answer.json").read_text()
    for one in finished(project):
        assert "real" not in str(read(one.folder))


READERS = {"synth.app.figures.steward", "synth.app.project.results.steward", "synth.app.ui.steward.panels"}
"""The only modules of the app that may know what a finding is."""


def test_nothing_private_is_remembered_between_two_visits() -> None:
    for name in READERS:
        words = (ROOT / f"{name.replace('.', '/')}.py").read_text()
        for way in ("lru_cache", "st.cache", "session_state", "download", "st.dataframe", "query_params"):
            assert way not in words, f"{name} uses {way}"
