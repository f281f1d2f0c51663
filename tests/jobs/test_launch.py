"""A worker gets an environment of allowed names and nothing to speak into."""

import time

from synth.jobs.launch import launch
from synth.jobs.store import Workplace

SPY = """
import os, sys
from pathlib import Path
told = [*os.environ, os.readlink("/proc/self/fd/1"), f"sid {os.getsid(0) == os.getpid()}"]
print("lost")
Path(sys.argv[1], "told").write_text("\\n".join(told))
"""


def test_a_worker_inherits_no_secret_and_outlives_its_starter(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "x")
    monkeypatch.setenv("MARGINALIA_SPY", "x")
    monkeypatch.setattr("synth.jobs.launch.ROOT", tmp_path)
    (tmp_path / "spy.py").write_text(SPY)
    place = Workplace(tmp_path)
    launch(place, "spy")
    deadline = time.monotonic() + 30
    while not (tmp_path / "told").exists() or place.process().is_alive:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    told = (tmp_path / "told").read_text().split("\n")
    assert "SECRET_TOKEN" not in told
    assert {"MARGINALIA_SPY", "OMP_NUM_THREADS", "/dev/null", "sid True"} <= set(told)
