"""Locks that end with their holder: advisory locks of the operating system on small files."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def hold(path: Path, *, patience: float = 0.0) -> Iterator[bool]:
    """Try for `patience` seconds to take the lock, and keep it for the block. Yields whether it was taken.

    The kernel frees it when the process ends. A worker needs some patience because `is_held` takes the lock
    for an instant.
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
    """Return whether a process holds the lock; a missing file is a free lock."""
    if not path.exists():
        return False
    with hold(path) as free:
        return not free
