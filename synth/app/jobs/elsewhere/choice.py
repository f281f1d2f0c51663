"""Which executor does the public tasks of this machine.

`MARGINALIA_EXECUTOR` says so:

    here                          in the process that asks, the default
    folder:/full/path             by whichever worker takes it from that folder (`marginalia worker`)
    cluster:tcp://scheduler:8786  by a Dask cluster
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from synth.app.jobs.elsewhere.executor import Executor
from synth.core.errors import Mistake

VARIABLE = "MARGINALIA_EXECUTOR"
HERE, FOLDER, CLUSTER = "here", "folder", "cluster"
FORMS = "here, folder:/full/path, cluster:tcp://host:port"
NOT_INSTALLED = (
    "A cluster needs a library that is not installed here. Install it with: "
    "pip install 'marginalia[cluster]'."
)


def chosen() -> Executor:
    """What the environment says. Raises: `Mistake` as `named`."""
    said = os.environ.get(VARIABLE)
    return named(said, called=f"{said!r}, which {VARIABLE} names,") if said else named(HERE)


def named(typed: str, *, called: str = "") -> Executor:
    """An executor by what was typed, `called` so where nobody typed it just now.

    Raises: `Mistake` for another form, or what is not installed."""
    form, _, place = typed.partition(":")
    if typed == HERE:
        from synth.app.jobs.elsewhere.executor import Here

        return Here()
    if form == FOLDER and Path(place).is_absolute():
        from synth.app.jobs.elsewhere.folder import SharedFolder

        return SharedFolder(Path(place))
    if form == CLUSTER and place:
        if find_spec("distributed") is None:
            raise Mistake(NOT_INSTALLED)
        from synth.app.jobs.elsewhere.cluster import Cluster

        return Cluster(place)
    raise Mistake(f"{called or repr(typed)} is no place where a task is done. It is one of these: {FORMS}.")
