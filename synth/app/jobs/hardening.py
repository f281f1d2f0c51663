"""A process that holds private rows leaves no trace of them when it falls.

No core dump, no other process of the same user may attach, and an exception nobody caught prints one fixed
sentence with a reference number instead of a traceback, which would quote values.
"""

from __future__ import annotations

import contextlib
import ctypes
import resource
import secrets
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

_PR_SET_DUMPABLE = 4
_PACKAGE = Path(__file__).resolve().parents[2]


def harden() -> None:
    """Switch off core dumps, attaching and tracebacks for the rest of this process's life."""
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    sys.excepthook = lambda kind, error, trace: _say(fresh_reference())
    threading.excepthook = lambda details: _say(fresh_reference())
    sys.unraisablehook = lambda details: None


def fresh_reference() -> str:
    """A number to tell one fault from another, random and free of meaning."""
    return secrets.token_hex(4)


def fault(error: BaseException, reference: str) -> dict[str, Any]:
    """What may be kept of an unexpected exception: its kind and the lines of our own code it passed.

    The message and the values are left out: they may quote a cell of the private file.
    """
    return {"reference": reference, "kind": type(error).__name__, "where": _places(error.__traceback__)}


def _places(trace: TracebackType | None) -> Sequence[str]:
    places = []
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        if file.is_relative_to(_PACKAGE):
            places.append(f"{file.relative_to(_PACKAGE.parent)}:{trace.tb_lineno}")
        trace = trace.tb_next
    return places


def _say(reference: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"The worker stopped for a reason it does not tell (reference {reference}).\n")
