"""Show the message of a page after an error: one of our own sentences, or a reference number. It never
contains the text of an exception.

An unexpected error may quote a cell of the private file. Its message is therefore dropped. Only the time, the
reference, the kind of error and the lines of code are stored, in `app.log` beside the projects.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import runpy
from collections.abc import Iterator
from contextvars import ContextVar

import streamlit as st

from synth.app.jobs.hardening import fault, fresh_reference
from synth.app.ui import text
from synth.core.errors import MarginaliaError, Mistake
from synth.core.system.places import home, program

ROUTER = program() / "app.py"
_guarded: ContextVar[bool] = ContextVar("guarded", default=False)


@contextlib.contextmanager
def neutral() -> Iterator[None]:
    """Run a page: errors written for the steward are shown unchanged, all others as a reference number."""
    before = _guarded.set(True)
    try:
        yield
    except Exception as error:
        report(error)
    finally:
        _guarded.reset(before)


@contextlib.contextmanager
def shown() -> Iterator[None]:
    """Run the action of a button; an error is shown in place, and the page continues."""
    try:
        yield
    except MarginaliaError as error:
        report(error)


def report(error: Exception) -> bool:
    """Show an error that occurred outside `neutral`, such as in a callback, with the same text. Return
    whether it was shown.
    """
    sentence = text.plain(str(error)) if isinstance(error, MarginaliaError) else None
    st.error(sentence or text.BROKEN.format(reference=record(error)), icon=":material/error:")
    return True


def require() -> None:
    """Send a page that runs outside a guard through the router.

    If the first requested address names a file of `pages/`, a new server runs this file without `app.py`
    (Streamlit 1.67: the folder counts as navigation until `st.navigation` was called).
    """
    if not _guarded.get():
        runpy.run_path(str(ROUTER))
        st.stop()


def record(error: Exception) -> str:
    """Store the allowed facts of an unexpected error, and return the reference."""
    reference = fresh_reference()
    facts = {"time": f"{dt.datetime.now(dt.UTC):%Y-%m-%dT%H:%M:%SZ}", **fault(error, reference)}
    with contextlib.suppress(OSError, Mistake):
        home().mkdir(mode=0o700, parents=True, exist_ok=True)
        with (home() / "app.log").open("a", encoding="utf-8") as file:
            file.write(json.dumps(facts) + "\n")
    return reference
