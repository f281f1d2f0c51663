"""A cluster that is not there, one without a card, and a library that is the heavy half of neither."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from synth.errors import Mistake
from synth.jobs.elsewhere.cluster import NO_CARD, Cluster
from synth.jobs.elsewhere.executor import CARD, prepared


def test_a_cluster_that_does_not_answer_is_a_sentence(
    tmp_path: Path, spies, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("synth.jobs.elsewhere.cluster._CONNECT_SECONDS", 0.5)
    task = prepared(tmp_path / "errand", "spy", order={"seed": 1}, files={"deep/word.txt": b"w"})
    with pytest.raises(Mistake, match=r"'tcp://127\.0\.0\.1:9' does not answer"):
        Cluster("tcp://127.0.0.1:9").do(task, spies.PUBLIC)


def test_without_a_card_it_is_done_on_the_processor_and_said(
    tmp_path: Path, spies, tried: Path, scheduler: str
) -> None:
    files = {"deep/word.txt": b"w"}
    task = prepared(tmp_path / "errand", "spy", order={"seed": 1, "device": "cuda"}, files=files)
    told: list[str] = []
    cluster = Cluster(scheduler, entry="spy_process")
    cluster.do(task, spies.PUBLIC, wants=CARD, report=lambda p: told.append(p.fact))
    assert NO_CARD in told and (task.answer() or {})["device"] == "cpu"


def test_the_library_is_not_imported_before_it_is_chosen() -> None:
    asked = "import sys, synth.jobs.runner, synth.jobs.elsewhere.choice\nprint('distributed' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
