"""Harden a process that reads private rows, so that a crash does not write them anywhere.

The process writes no core dump, and no other process of the same user can attach to it. An uncaught exception
prints a fixed sentence with a reference number instead of a traceback, which could quote values.
"""

from __future__ import annotations

import contextlib
import ctypes
import resource
import secrets
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

_PR_SET_DUMPABLE = 4
_PACKAGE = Path(__file__).resolve().parents[2]
_STOPPED = "The worker stopped. The cause is hidden: it could reveal private data (reference {reference}).\n"


def harden() -> None:
    """Disable core dumps, attaching and tracebacks for the rest of this process."""
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    sys.excepthook = lambda kind, error, trace: _report(fresh_reference())
    threading.excepthook = lambda details: _report(fresh_reference())
    sys.unraisablehook = lambda details: None


def fresh_reference() -> str:
    """Return a random number that identifies a fault."""
    return secrets.token_hex(4)


def fault(error: BaseException, reference: str) -> dict[str, Any]:
    """Return the facts of an unexpected exception that may be stored: its type and its lines in this package.

    The message and the values are excluded, because they may quote a cell of the private file.
    """
    lines = [(Path(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    where = [f"{f.relative_to(_PACKAGE.parent)}:{n}" for f, n in lines if f.is_relative_to(_PACKAGE)]
    return {"reference": reference, "kind": type(error).__name__, "where": where}


def _report(reference: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(_STOPPED.format(reference=reference))
