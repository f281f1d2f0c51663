"""Kinds of tasks for tests, registered in processes of their own, and workers that can be killed."""

import itertools
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from synth.app.jobs.elsewhere.executor import prepared
from synth.app.jobs.store import Task

ROOT = Path(__file__).parents[4]
WORD = "noisy answers"

ENTRY = '''
"""The kinds of these tests, and the entries of the processes that know them."""
import hashlib, os, sys, time
from pathlib import Path
from synth.core.errors import Mistake
from synth.app.jobs.kind import TaskKind
from synth.app.jobs.kinds import KINDS
from synth.core.progress import Progress

CANARY = "canary-90x"

def work(task, report):
    order = task.order()
    with Path(os.environ["MARGINALIA_TRIED"]).open("a") as log:
        log.write(f"{os.getpid()}\\n")
    word = (task.given / "deep" / "word.txt").read_text()
    for step in range(order.get("steps", 3)):
        loss = 1.0 / (step + 1)
        report(Progress(stage="fit", done=step / 10, fact=f"step {step}", steps=step + 1, loss=loss))
        time.sleep(order.get("pause", 0.0))
    if order.get("does") == "fail":
        raise Mistake("Type another number than 3.")
    if order.get("does") == "break":
        raise ValueError(f"row 17 holds {CANARY}")
    (task.made / "deep").mkdir(parents=True)
    made = hashlib.sha256(f"{word} {order['seed']}".encode()).hexdigest()
    (task.made / "deep" / "table.txt").write_text(made)
    return {"device": order.get("device"), "made": made}

def accept(task):
    if not (task.made / "deep" / "table.txt").exists():
        raise Mistake("It came back empty.")

SAYS = {"stopped": "It was stopped.", "lost": "It was lost.", "failed": "It failed."}
PUBLIC = TaskKind(work=work, accept=accept, is_public=True, **SAYS)
PRIVATE = TaskKind(work=work, **SAYS)
KINDS |= {"spy": PUBLIC, "hidden": PRIVATE}
'''
PROCESS = "import sys, spies\nfrom synth.app.jobs.worker import main\nsys.exit(main())\n"
WORKER = """
import sys, spies
from pathlib import Path
from synth.app.jobs.elsewhere.parcels import Parcels
from synth.app.jobs.elsewhere.worker import FolderWorker
folder, name, lease, *devices = sys.argv[1:]
FolderWorker(
    parcels=Parcels(Path(folder)), name=name, lease=float(lease), entry="spy_process", devices=tuple(devices)
).serve()
"""


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The modules of these tests, where processes that are started find them."""
    place = tmp_path_factory.mktemp("modules")
    for name, text in (("spies", ENTRY), ("spy_process", PROCESS), ("spy_worker", WORKER)):
        (place / f"{name}.py").write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{ROOT}:{place}")
        patch.setenv("MARGINALIA_TRIED", str(place / "tried"))
        yield place


@pytest.fixture
def tried(modules: Path) -> Path:
    """Where every attempt at a task of a test leaves a line."""
    (modules / "tried").write_text("")
    return modules / "tried"


@pytest.fixture
def spies(modules: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module of the kinds, in this process too, and forgotten afterwards."""
    from synth.app.jobs.kinds import KINDS

    monkeypatch.syspath_prepend(str(modules))
    before = dict(KINDS)
    import spies as module

    yield module
    sys.modules.pop("spies")
    KINDS.clear()
    KINDS.update(before)


@pytest.fixture
def errand(tmp_path: Path, tried: Path) -> Callable[..., Task]:
    """Tasks with a public file each."""
    count = itertools.count()

    def made(kind: str = "spy", **order: Any) -> Task:
        files = {"deep/word.txt": WORD.encode()}
        return prepared(tmp_path / f"errand-{next(count)}", kind, order={"seed": 7} | order, files=files)

    return made


@pytest.fixture
def share(tmp_path: Path) -> Path:
    """A folder that workers share."""
    (tmp_path / "share").mkdir()
    return tmp_path / "share"


@pytest.fixture
def hire(tried: Path, share: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start workers on the shared folder, in processes of their own."""
    hired = []

    def start(name: str, *devices: str, lease: float = 1.0) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-m", "spy_worker", str(share), name, str(lease), *(devices or ("cpu",))]
        hired.append(subprocess.Popen(words, cwd=ROOT))
        return hired[-1]

    yield start
    for process in hired:
        process.terminate()
    for process in hired:
        process.wait(timeout=60)


@pytest.fixture
def until() -> Callable[[Callable[[], object]], None]:
    """Wait until something holds; fails after two minutes."""

    def watch(holds: Callable[[], object]) -> None:
        deadline = time.monotonic() + 120
        while not holds():
            assert time.monotonic() < deadline
            time.sleep(0.02)

    return watch
