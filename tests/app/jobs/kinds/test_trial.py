"""A trial by another program: its records, its sentence, and its end."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest

from synth.app.jobs.elsewhere.executor import prepared
from synth.app.jobs.kinds.trial import KIND
from synth.bench.trials.trial import REFERENCE, Part, Trial
from synth.core.errors import Mistake
from synth.core.progress import silent


def order(table: str) -> dict[str, object]:
    trial = Trial(part=Part.REFERENCE, table=table, method=REFERENCE)
    return {"title": str(trial), "trial": asdict(trial)}


def test_a_table_that_is_not_there_comes_back_as_its_sentence(tmp_path: Path) -> None:
    task = prepared(tmp_path / "errand", "trial", order=order("atlantis"), files={})
    with pytest.raises(Mistake, match="atlantis"):
        KIND.work(task, silent)


def test_whoever_is_stopped_stops_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = prepared(tmp_path / "errand", "trial", order=order("atlantis"), files={})
    started = []

    class Endless:
        """A program that goes on until it is told not to."""

        def __init__(self, *words: object, **given: object) -> None:
            started.append(self)
            self.is_told, self.waited = False, False

        def communicate(self) -> tuple[bytes, None]:
            raise KeyboardInterrupt

        def poll(self) -> None:
            return None

        def terminate(self) -> None:
            self.is_told = True

        def wait(self) -> None:
            self.waited = True

    monkeypatch.setattr("synth.app.jobs.kinds.trial.subprocess.Popen", Endless)
    with pytest.raises(KeyboardInterrupt):
        KIND.work(task, silent)
    assert started[0].is_told and started[0].waited
