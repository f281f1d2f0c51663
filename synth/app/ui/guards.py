"""Show errors on a page, either as a sentence written for the steward or as a reference number. The message
of an unexpected error may quote a cell of the private file, so it is neither shown nor stored.

Only the time, the reference, the type of the error and the lines of code are stored, in `app.log` next to the
projects.
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
from synth.core.errors import Code, MarginaliaError, Mistake, Refusal, is_disk_full, with_notes
from synth.core.system.places import home, program

ROUTER = program() / "app.py"
_guarded: ContextVar[bool] = ContextVar("guarded", default=False)


@contextlib.contextmanager
def neutral() -> Iterator[None]:
    """Run a page. Errors written for the steward are shown unchanged, and all others as a reference
    number.
    """
    before = _guarded.set(True)
    try:
        yield
    except Exception as error:
        report(error)
    finally:
        _guarded.reset(before)


@contextlib.contextmanager
def shown() -> Iterator[None]:
    """Run the action of a button. An error is shown in place, and the rest of the page is drawn."""
    try:
        yield
    except MarginaliaError as error:
        report(error)


def report(error: Exception) -> bool:
    """Show an error that occurred outside `neutral`, for example in a callback, as `neutral` would. Return
    whether it was shown.
    """
    if is_disk_full(error):
        error = Refusal(Code.DISK_FULL)
    sentence = text.plain(with_notes(error)) if isinstance(error, MarginaliaError) else None
    st.error(sentence or text.BROKEN.format(reference=record(error)), icon=":material/error:")
    return True


def require() -> None:
    """Route a page that runs outside a guard through `app.py`.

    If the first request to a new server names a file in `pages/`, Streamlit 1.67 runs this file without
    `app.py`, because it uses the folder for navigation until `st.navigation` is called.
    """
    if not _guarded.get():
        runpy.run_path(str(ROUTER))
        st.stop()


def record(error: Exception) -> str:
    """Store the facts about an unexpected error that may be stored, and return its reference."""
    reference = fresh_reference()
    facts = {"time": f"{dt.datetime.now(dt.UTC):%Y-%m-%dT%H:%M:%SZ}", **fault(error, reference)}
    with contextlib.suppress(OSError, Mistake):
        home().mkdir(mode=0o700, parents=True, exist_ok=True)
        with (home() / "app.log").open("a", encoding="utf-8") as file:
            file.write(json.dumps(facts) + "\n")
    return reference
