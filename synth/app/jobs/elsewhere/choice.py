"""Choose the executor of public tasks.

The environment variable `MARGINALIA_EXECUTOR` is one of:

    here the calling process runs the task (default)
    folder:/full/path     a worker takes the task from that folder (`marginalia worker`)
"""

from __future__ import annotations

import os
from pathlib import Path

from synth.app.jobs.elsewhere.executor import Executor, Here
from synth.app.jobs.elsewhere.folder import SharedFolder
from synth.core.errors import Mistake

VARIABLE = "MARGINALIA_EXECUTOR"
HERE, FOLDER = "here", "folder"
FORMS = "here, folder:/full/path"


def chosen() -> Executor:
    """Return the executor that the environment variable names. Raises: `Mistake` as in `named`."""
    said = os.environ.get(VARIABLE)
    return named(said, called=f"{VARIABLE} is {said!r}, which") if said else Here()


def named(typed: str, *, called: str = "") -> Executor:
    """Return the executor with this name. `called` is the subject of the error message, by default the typed
    name.

    Raises: `Mistake` for an unknown form.
    """
    form, _, place = typed.partition(":")
    if typed == HERE:
        return Here()
    if form == FOLDER and Path(place).is_absolute():
        return SharedFolder(Path(place))
    raise Mistake(f"{called or repr(typed)} is not an executor. Use one of: {FORMS}.")
