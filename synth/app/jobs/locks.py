"""Advisory locks of the operating system on small files. A lock ends with the process that holds it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def hold(path: Path, *, patience: float = 0.0) -> Iterator[bool]:
    """Try to take the lock for up to `patience` seconds, and hold it during the block. Yield True if the lock
    was taken.

    The kernel releases the lock when the process ends. A worker needs some patience, because `is_held` takes
    the lock for a moment.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield _take(handle, time.monotonic() + patience)
    finally:
        os.close(handle)


def _take(handle: int, deadline: float) -> bool:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.01)


def is_held(path: Path) -> bool:
    """Return True if a process holds the lock. Without the file, the lock is free."""
    if not path.exists():
        return False
    with hold(path) as free:
        return not free
