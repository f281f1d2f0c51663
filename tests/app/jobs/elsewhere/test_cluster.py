"""A cluster that is not there, one without a card, one of two workers of which one has a card, and a library
that is the heavy half of neither."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from synth.app.jobs.elsewhere.cluster import Cluster
from synth.app.jobs.elsewhere.executor import CARD, NO_CARD, prepared


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
    code = "import sys, synth.app.jobs.elsewhere.choice; print('distributed' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
