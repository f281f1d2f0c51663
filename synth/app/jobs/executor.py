"""Start worker processes on this machine, watch them, and stop them.

A worker gets only the allowed environment variables, has no output, and runs in its own session. It outlives
the process that started it unless it has a leash. `jobs.elsewhere` runs tasks on other machines.
"""

from __future__ import annotations

import atexit
import gc
import importlib
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
from synth.core.system.fixed import FIXED, is_fixed

ROOT = Path(__file__).resolve().parents[3]
_STARTUP_SECONDS = 30.0  # maximum time until the process id of a new worker is written
_PASSED_ON = (
    *("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TEMP", "TMP", "TZ"),
    *("LD_LIBRARY_PATH", "VIRTUAL_ENV", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONNOUSERSITE"),
)


@dataclass(frozen=True)
class LocalProcesses:
    """An executor that starts workers as processes of this machine: `python -m WORKER KIND FOLDER`, or only
    `KIND` in `ask`.

    A worker with a `leash` ends when the process that started it has ended (`heartbeat.leashed`). A worker
    for a `public` task gets neither connections to databases nor their passwords.
    """

    worker: str = "synth.app.jobs.worker"
    leash: bool = False
    public: bool = False

    def start(self, task: Task) -> None:
        """Start a worker that runs the order in the task's folder."""
        environment = _worker_environment(public=self.public)
        if self.leash:
            environment[LEASH] = str(os.getpid())
        start = self._fork if _can_fork() else self._spawn
        task.write_process(Process.of(start(task, environment)))

    def is_alive(self, task: Task) -> bool:
        """Return True if a worker is running the task or was just started for it."""
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
        """Interrupt the worker. With `force`, kill it."""
        process = task.process()
        if process is not None:
            process.signal(signal.SIGKILL if force else signal.SIGTERM)

    def ask(self, kind: str, order: Mapping[str, Any], *, patience: float) -> dict[str, Any]:
        """Run a worker without a folder for at most `patience` seconds, and return its result.

        Raises: `Refusal` with the code of the worker's refusal, or with `FILE_UNREADABLE` if there is no
        result.
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

    # A worker reports only into the task's folder, and only the allowed fields.

    def _spawn(self, task: Task, environment: Mapping[str, str]) -> int:
        """Start a new Python process for a task, and return its ID."""
        nothing = [(os.POSIX_SPAWN_OPEN, handle, os.devnull, os.O_RDWR, 0) for handle in (0, 1, 2)]
        command = [*self._command(task.kind), str(task.folder)]
        return os.posix_spawn(sys.executable, command, environment, file_actions=nothing, setsid=True)

    def _fork(self, task: Task, environment: Mapping[str, str]) -> int:
        """Fork a worker from this process, with the loaded modules, and return its process ID."""
        if pid := os.fork():
            return pid
        code = 1
        try:
            os.setsid()
            nothing = os.open(os.devnull, os.O_RDWR)
            for handle in (0, 1, 2):
                os.dup2(nothing, handle)
            os.environ.clear()
            os.environ.update(environment)
            atexit._clear()  # noqa: SLF001  (exit functions of the parent process)
            gc.freeze()
            gc.enable()
            code = importlib.import_module(self.worker).main([task.kind, str(task.folder)])
            atexit._run_exitfuncs()  # noqa: SLF001
        finally:
            os._exit(code)

    def _command(self, kind: str) -> list[str]:
        return [sys.executable, "-P", "-m", self.worker, kind]


LOCAL = LocalProcesses()


def _can_fork() -> bool:
    """Return True if a fork of this process can replace a new Python process, which starts more slowly.

    This is possible in a command (`fixed.start_fixed`), which has the environment of runs, one thread, and no
    open files that a new process would not inherit.
    """
    if sys.platform != "linux" or not is_fixed() or len([*Path("/proc/self/task").iterdir()]) > 1:
        return False
    handles = [int(handle.name) for handle in Path("/proc/self/fd").iterdir()]
    return not any(_is_own(handle) for handle in handles if handle > 2)


def _is_own(handle: int) -> bool:
    """Return True if a handle is open and would be closed in a new process."""
    try:
        return not os.get_inheritable(handle)
    except OSError:  # the handle was that of the listing, and is closed now
        return False


def _worker_environment(*, public: bool) -> dict[str, str]:
    """Return the environment of a worker: the paths of Python and of this installation, but no secrets of the
    app.

    The worker decodes file names like this process, regardless of the locale. Raises: `Mistake` as in
    `places.home`.
    """
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    ours = {name: value for name, value in os.environ.items() if name.startswith("MARGINALIA_")}
    environment |= {name: value for name, value in ours.items() if name != LEASH}
    inherited = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    python = {
        "PYTHONPATH": os.pathsep.join([str(ROOT), *(str(Path(folder).absolute()) for folder in inherited)]),
        "PYTHONUTF8": str(sys.flags.utf8_mode),
    }
    given = environment | places.handed_on() | FIXED | python
    return {name: value for name, value in given.items() if not (public and _reaches_a_database(name))}


def _reaches_a_database(name: str) -> bool:
    """Return True if an environment variable contains a connection, the file of connections, or a
    password.
    """
    return name.startswith("MARGINALIA_CONNECTION") or name.endswith("_PASSWORD")
