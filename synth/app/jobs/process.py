"""Identify a process by its ID and start time.

The system may reuse an ID, but not with the same start time. The start time is read from /proc. Without
/proc, only the ID is compared.
"""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import dataclass
from pathlib import Path

_STAT_STATE, _STAT_START = 0, 19  # fields after the command name in /proc/PID/stat


@dataclass(frozen=True)
class Process:
    """A process ID, and the start time in clock ticks since boot (-1 if unknown)."""

    pid: int
    started: int

    @staticmethod
    def of(pid: int) -> Process:
        """Return the process that currently has this ID."""
        state = _stat(pid)
        return Process(pid, state[1] if state else -1)

    @property
    def is_alive(self) -> bool:
        """True if the process is still running. A zombie process is not running."""
        if Path("/proc/self/stat").exists():
            state = _stat(self.pid)
            return state is not None and state[0] not in "ZX" and self.started in (-1, state[1])
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True

    def reap(self) -> None:
        """Remove the process from the process table if it is a dead child of this process."""
        state = _stat(self.pid)
        if state is not None and state[0] == "Z" and self.started in (-1, state[1]):
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self.pid, os.WNOHANG)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process and its group, unless its ID now belongs to another process."""
        if not self.is_alive:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.getpgid(self.pid) == self.pid:
                os.killpg(self.pid, number)
            else:
                os.kill(self.pid, number)


def _stat(pid: int) -> tuple[str, int] | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    rest = text[text.rindex(")") + 2 :].split()
    return rest[_STAT_STATE], int(rest[_STAT_START])
