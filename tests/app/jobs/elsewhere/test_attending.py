"""A process that is watched for others: its end, its death, and whoever watches being gone."""

import os
import signal
from pathlib import Path

import pytest

from synth.app.jobs.elsewhere.executor import attend
from synth.app.jobs.store import State, Status


def test_a_process_that_is_killed_is_lost(errand, tried: Path) -> None:
    def tick(last: Status) -> bool:
        if tried.read_text():
            os.kill(int(tried.read_text()), signal.SIGKILL)
        return True

    assert attend(errand(steps=300, pause=0.1), entry="spy_process", tick=tick).state is State.LOST


def test_its_process_gets_no_database(errand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = errand(steps=300, pause=0.1)
    monkeypatch.setenv("MARGINALIA_CONNECTION_CENSUS", "secret")
    stated: list[bytes] = []

    def tick(last: Status) -> bool:
        process = task.process()
        if process is not None and last.state is State.RUNNING:
            stated.append(Path(f"/proc/{process.pid}/environ").read_bytes())
        return not stated

    attend(task, entry="spy_process", tick=tick)
    assert b"MARGINALIA_TRIED" in stated[0] and b"MARGINALIA_CONNECTION" not in stated[0]
