"""Real tables by real workers on a shared folder: nothing private is there, and an answer is met again."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from synth.app.jobs import runner
from synth.app.jobs.elsewhere.choice import VARIABLE
from synth.app.jobs.elsewhere.folder import WAITING
from synth.app.jobs.kinds import further
from synth.app.jobs.spec import place_of
from synth.app.jobs.store import Job, State, Task
from synth.release.verify import verify

ROOT = Path(__file__).parents[4]


@pytest.fixture
def worker(share: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Real workers: `marginalia worker`."""
    hired = []

    def start(name: str, *, lease: str = "1") -> subprocess.Popen[bytes]:
        words = ["worker", "--folder", str(share), "--name", name, "--lease", lease]
        hired.append(subprocess.Popen([sys.executable, "-m", "synth", *words], cwd=ROOT))
        return hired[-1]

    yield start
    for process in hired:
        process.terminate()
        process.wait(timeout=60)


class Looking(threading.Thread):
    """Reads every file of a folder again and again, and keeps what was ever there."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self._folder, self.over = folder, threading.Event()
        self.found: dict[str, set[bytes]] = {}

    def run(self) -> None:
        while not self.over.wait(0.005):  # records lie there for a moment
            for parent, _, names in os.walk(self._folder):
                for name in names:
                    try:
                        content = (Path(parent) / name).read_bytes()
                    except OSError:
                        continue
                    self.found.setdefault(name, set()).add(content)


def test_a_free_table_goes_through_the_folder_and_nothing_private_does(
    finished: Job, share: Path, worker, tmp_path: Path, canary: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = finished.spec()
    place = place_of(spec, "independent")
    ordered = further.order(run=spec.run, generators=["independent"], rows=200)
    here = Task(tmp_path / "here", "further")
    runner.begin(here, ordered)
    assert runner.wait(here, seconds=300).state is State.DONE and here.where() == "this machine"
    first = (place / "CHECKSUMS.sha256").read_text()
    place.rename(tmp_path / "first")
    monkeypatch.setenv(VARIABLE, f"folder:{share}")
    worker("elsewhere-7")
    looking = Looking(share)
    looking.start()
    task = Task(tmp_path / "again", "further")
    runner.begin(task, ordered)
    end = runner.wait(task, seconds=300)
    looking.over.set()
    looking.join()
    assert end.state is State.DONE, end
    assert task.where() == "worker elsewhere-7"
    facts = [event.fact for event in task.events()]
    assert any(WAITING in fact for fact in facts) and any("drawing 200 records" in fact for fact in facts)
    assert (place / "CHECKSUMS.sha256").read_text() == first
    assert verify(place).ok and len((place / "data" / "synthetic.csv").read_text().splitlines()) == 201
    assert {"order.json", "given.zip", "made.zip", "beat.json"} <= set(looking.found)
    private = (canary, spec.data, str(tmp_path / "out"), str(tmp_path / "home"), spec.ledger)
    for name, contents in looking.found.items():
        for content in contents:
            for word in private:
                assert word.encode() not in content, (name, word)
    assert not [p for p in share.rglob("*") if p.is_file()]
