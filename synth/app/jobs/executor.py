"""Start worker processes on this machine, watch them, and stop them.

A worker gets an environment of allowed names, no output and a session of its own, and outlives its starter
unless it is on a leash. `jobs.elsewhere` is about other machines.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synth.app.jobs.heartbeat import LEASH
from synth.app.jobs.locks import is_held
from synth.app.jobs.process import Process
from synth.app.jobs.store import Task
from synth.core.errors import Code, Refusal
from synth.core.system import places

ROOT = Path(__file__).resolve().parents[3]
_STARTUP_SECONDS = 30.0  # how long a worker may take before it has written down its process id
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


@dataclass(frozen=True)
class LocalProcesses:
    """Workers as processes of this machine: `python -m WORKER KIND FOLDER`, or `KIND` alone in `ask`.

    A worker on a `leash` ends when its starter is gone (`heartbeat.leashed`). One for a `public` task gets
    neither connections to databases nor their passwords.
    """

    worker: str = "synth.app.jobs.worker"
    leash: bool = False
    public: bool = False

    def start(self, task: Task) -> None:
        """Start a worker for the order in the task's folder."""
        # A worker reports into the task's folder, through a list of allowed fields, and nowhere else.
        nothing = [(os.POSIX_SPAWN_OPEN, handle, os.devnull, os.O_RDWR, 0) for handle in (0, 1, 2)]
        pid = os.posix_spawn(
            sys.executable,
            [*self._command(task.kind), str(task.folder)],
            _worker_environment(public=self.public) | ({LEASH: str(os.getpid())} if self.leash else {}),
            file_actions=nothing,
            setsid=True,
        )
        task.write_process(Process.of(pid))

    def is_alive(self, task: Task) -> bool:
        """Return whether a worker is busy with the task, or was just started for it."""
        if is_held(task.lock):
            return True
        process = task.process()
        if process is not None:
            return process.is_alive
        age = task.age()
        return age is not None and age < _STARTUP_SECONDS and not task.status().state.is_end

    def clear(self, task: Task) -> None:
        """Remove a dead worker from the process table."""
        process = task.process()
        if process is not None:
            process.reap()

    def stop(self, task: Task, *, force: bool = False) -> None:
        """Interrupt the worker, or kill it with `force`."""
        process = task.process()
        if process is not None:
            process.signal(signal.SIGKILL if force else signal.SIGTERM)

    def ask(self, kind: str, order: Mapping[str, Any], *, patience: float) -> dict[str, Any]:
        """Return the result of a worker without a folder, within `patience` seconds.

        Raises: `Refusal` as the worker, or for an unreadable file if there is no result.
        """
        try:
            done = subprocess.run(
                self._command(kind),
                input=json.dumps(order).encode(),
                capture_output=True,
                timeout=patience,
                env=_worker_environment(public=self.public),
                cwd=ROOT,
                check=False,
            )
            answer: dict[str, Any] = json.loads(done.stdout)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            raise Refusal(Code.FILE_UNREADABLE) from None
        if "code" in answer:
            raise Refusal(Code(answer["code"]))
        return answer

    def _command(self, kind: str) -> list[str]:
        return [sys.executable, "-P", "-m", self.worker, kind]


LOCAL = LocalProcesses()


def _worker_environment(*, public: bool) -> dict[str, str]:
    """Return the environment of a worker: how to find Python and our places, without secrets of the app.

    It reads file names as this process does, regardless of the locale. Raises: `Mistake` as `places.home`.
    """
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    ours = {name: value for name, value in os.environ.items() if name.startswith("MARGINALIA_")}
    environment |= {name: value for name, value in ours.items() if name != LEASH}
    inherited = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    python = {
        "PYTHONPATH": os.pathsep.join([str(ROOT), *(str(Path(folder).absolute()) for folder in inherited)]),
        "PYTHONUTF8": str(sys.flags.utf8_mode),
    }
    given = environment | places.handed_on() | _FIXED | python
    return {name: value for name, value in given.items() if not (public and _reaches_a_database(name))}


def _reaches_a_database(name: str) -> bool:
    """Return whether a variable is a connection, the file of connections, or a password."""
    return name.startswith("MARGINALIA_CONNECTION") or name.endswith("_PASSWORD")
