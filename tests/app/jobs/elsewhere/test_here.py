"""In the process that asks: what the others do as well stands in `test_executor`."""

from __future__ import annotations

from pathlib import Path

import pytest

from synth.app.jobs.elsewhere.executor import CARD, TITLE, Here, prepared
from synth.app.jobs.kind import TaskKind
from synth.core.errors import Mistake


def test_an_answer_is_kept_and_a_work_without_one_leaves_none(tmp_path: Path) -> None:
    told: list[str] = []
    for name, answer in (("a", {"x": 1}), ("b", None)):
        task = prepared(tmp_path / name, "spy", order={}, files={})
        Here().do(
            task, TaskKind(work=lambda task, report, a=answer: a, is_public=True), wants=CARD, on=told.append
        )
        assert task.answer() == answer
    assert told == [TITLE, TITLE]


def test_a_private_kind_is_refused_here_too(tmp_path: Path) -> None:
    task = prepared(tmp_path / "a", "spy", order={}, files={})
    with pytest.raises(Mistake, match="'spy' may read a private file"):
        Here().do(task, TaskKind(work=lambda task, report: None))
