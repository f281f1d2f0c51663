"""Start a process that gets little: a worker, silent and outliving its starter, or one that is asked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from synth import places
from synth.errors import Code, Refusal
from synth.jobs.hardening import harden
from synth.jobs.process import Process
from synth.jobs.store import Workplace

ROOT = Path(__file__).resolve().parents[2]
_PASSED_ON = (
    *("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TEMP", "TMP", "TZ"),
    *("LD_LIBRARY_PATH", "VIRTUAL_ENV", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONNOUSERSITE"),
)
_FIXED = {
    # One thread and one hash seed: a resumed run does the same arithmetic in the same order, bit for bit.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "ARROW_DEFAULT_MEMORY_POOL": "system",  # gives memory back between two blocks of a large file
    "PYTHONWARNINGS": "ignore",
}


def launch(place: Workplace, module: str) -> None:
    """Run `python -m MODULE FOLDER` in a session of its own and write down which process it is."""
    nothing = [
        (os.POSIX_SPAWN_OPEN, handle, os.devnull, os.O_RDWR, 0) for handle in (0, 1, 2)
    ]  # what a worker says goes into the job folder, through a list of allowed fields, and nowhere else
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, "-P", "-m", module, str(place.folder)],
        worker_environment(),
        file_actions=nothing,
        setsid=True,
    )
    place.write_process(Process.of(pid))


def ask(module: str, order: Mapping[str, Any], *, patience: float) -> dict[str, Any]:
    """What `python -m MODULE` answers to an order within so many seconds; its entry is `answer`.

    Raises: `Refusal` as it refuses; that the file is unreadable if there is no answer.
    """
    try:
        said = subprocess.run(
            [sys.executable, "-P", "-m", module],
            input=json.dumps(order).encode(),
            capture_output=True,
            timeout=patience,
            env=worker_environment(),
            cwd=ROOT,
            check=False,
        )
        told: dict[str, Any] = json.loads(said.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        raise Refusal(Code.FILE_UNREADABLE) from None
    if "code" in told:
        raise Refusal(Code(told["code"]))
    return told


def answer(tell: Callable[[dict[str, Any]], dict[str, Any]]) -> int:
    """Entry of the process: hand the order to `tell` and print its answer, or the code of its refusal."""
    harden()
    try:
        told = tell(json.load(sys.stdin))
    except Refusal as refusal:
        told = {"code": refusal.code.value}
    sys.stdout.write(json.dumps(told))
    return 0


def worker_environment() -> dict[str, str]:
    """What a worker gets of the environment: how to find Python and our places, no secret of the app.

    It reads names of files as this process does, whatever the locale. Raises: `Mistake` as `places.home`.
    """
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    environment |= {name: value for name, value in os.environ.items() if name.startswith("MARGINALIA_")}
    inherited = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    python = {
        "PYTHONPATH": os.pathsep.join([str(ROOT), *(str(Path(folder).absolute()) for folder in inherited)]),
        "PYTHONUTF8": str(sys.flags.utf8_mode),
    }
    return environment | places.handed_on() | _FIXED | python
