"""Choose the executor of public tasks.

The environment variable `MARGINALIA_EXECUTOR` is one of:

    here                          in the process that asks, the default
    folder:/full/path             by the worker that takes it from that folder (`marginalia worker`)
    cluster:tcp://scheduler:8786  by a Dask cluster
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from synth.app.jobs.elsewhere.executor import Executor, Here
from synth.core.errors import Mistake

VARIABLE = "MARGINALIA_EXECUTOR"
HERE, FOLDER, CLUSTER = "here", "folder", "cluster"
FORMS = "here, folder:/full/path, cluster:tcp://host:port"
NOT_INSTALLED = (
    "A cluster needs a library that is not installed. Install it with: pip install 'marginalia[cluster]'."
)


def chosen() -> Executor:
    """Return the executor of the environment. Raises: `Mistake` as `named`."""
    said = os.environ.get(VARIABLE)
    return named(said, called=f"{VARIABLE} is {said!r}, which") if said else Here()


def named(typed: str, *, called: str = "") -> Executor:
    """Return an executor by its form; `called` starts the error of one that was not typed just now.

    Raises: `Mistake` for another form, or a library that is not installed.
    """
    form, _, place = typed.partition(":")
    if typed == HERE:
        return Here()
    if form == FOLDER and Path(place).is_absolute():
        from synth.app.jobs.elsewhere.folder import SharedFolder

        return SharedFolder(Path(place))
    if form == CLUSTER and place:
        if find_spec("distributed") is None:
            raise Mistake(NOT_INSTALLED)
        from synth.app.jobs.elsewhere.cluster import Cluster

        return Cluster(place)
    raise Mistake(f"{called or repr(typed)} is not an executor. Use one of: {FORMS}.")
