"""Locate all files and folders. No other module reads the environment variables for them.

`MARGINALIA_HOME` names the main folder. Without it, the main folder is `marginalia` in the user's data
folder, which `XDG_DATA_HOME` names on Linux. `MARGINALIA_LEDGER` moves only the ledger, `MARGINALIA_FOLDER`
the folder from which tables are opened, and `MARGINALIA_CONNECTIONS` the file of connections to databases. A
worker gets the full paths (`handed_on`) and does not determine them again.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import platformdirs

from synth.core.errors import Mistake

HOME, LEDGER, FOLDER = "MARGINALIA_HOME", "MARGINALIA_LEDGER", "MARGINALIA_FOLDER"
CONNECTIONS = "MARGINALIA_CONNECTIONS"
DATA_HOME, CACHE_HOME, CONFIG_HOME = "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"
NAME = "marginalia"
LEDGER_FILE = "ledger.sqlite"
CONNECTIONS_FILE = "connections.toml"
USUAL_HOME = f"~/.local/share/{NAME}"
"""The main folder, unless a variable names another folder."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """A file or folder of this installation, with the variable or rule that determines its path."""

    name: str
    path: Path
    because: str

    @property
    def exists(self) -> bool:
        return _exists(self.path)


def home() -> Path:
    """Return the main folder of this installation.

    Raises: `Mistake` if the environment does not contain a full path.
    """
    return _home().path


def ledger() -> Path:
    """Return the path of the ledger of this installation.

    Raises: `Mistake` if no variable names a path, the ledger does not exist yet, and another possible data
    folder of the user has a ledger. With two ledgers, the same people would have two budgets.
    """
    place = _ledger()
    is_named = os.environ.get(HOME) or os.environ.get(LEDGER)
    if not is_named and not place.exists:
        for other in _elsewhere():
            if other != place.path and _exists(other):
                raise Mistake(
                    f"There is no ledger at {place.path}, but there is one at {other}. With two ledgers, "
                    f"the same people would have two budgets. To use that one, set {LEDGER}={other}. To "
                    f"start a new ledger for other people, set {LEDGER}={place.path}."
                )
    return place.path


def made(folder: Path) -> Path:
    """Return a folder in the main folder, readable only by its owner. It is created if it does not exist.

    Raises: `Mistake` if it cannot be created. The message names the variable that determines its path.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Mistake(
            f"Cannot create the folder {str(folder)!r} ({error.strerror}). It is in the data folder of this "
            f"program ({_home().because}). Fix its permissions, or set {HOME} to the full path of another "
            "folder."
        ) from None
    return folder


def rehearsal_ledger() -> Path:
    """Return the path of the ledger of practice runs, which have no privacy guarantee."""
    return home() / "rehearsal.sqlite"


def tables() -> Path:
    """Return the only folder from which tables are opened by name."""
    return _tables().path


def connections() -> Path:
    """Return the path of the file of database connections, outside the main folder.

    See `reading.connections`.
    """
    named = _named_by(CONNECTIONS)
    return platformdirs.user_config_path(NAME) / CONNECTIONS_FILE if named is None else named


def _own_connections() -> Path | None:
    """Return the path of the connections file if a variable names it or its folder, otherwise None."""
    return connections() if os.environ.get(CONNECTIONS) or os.environ.get(CONFIG_HOME) else None


def program() -> Path:
    """Return the folder of `app.py`, its pages and its assets.

    This is the clone, or the folder `share/marginalia` of the installed package.

    Raises: `Mistake` if the installation has no such folder.
    """
    clone = Path(__file__).resolve().parents[3]
    if (clone / "pyproject.toml").is_file():
        return clone
    with suppress(metadata.PackageNotFoundError):
        for file in metadata.files(NAME) or ():
            if file.match(f"share/{NAME}/app.py"):
                return Path(str(file.locate())).resolve().parent
    raise Mistake(f"The app is missing from this installation. Install the package {NAME} again.")


def cache() -> Path:
    """Return the folder for benchmark files that can be downloaded or generated again."""
    return Path(platformdirs.user_cache_dir(NAME))


def places() -> tuple[Place, ...]:
    """Return all files and folders. Raises: `Mistake` if the environment does not contain a full path."""
    others = {
        "ledger of practice runs": rehearsal_ledger().name,
        "jobs": "jobs",
        "projects": "projects",
        "known files": "known",
    }
    because = CONNECTIONS if os.environ.get(CONNECTIONS) else _xdg(CONFIG_HOME, "config")
    databases = Place(name="connections", path=connections(), because=because)
    bench = Place(name="benchmark cache", path=cache() / "bench", because=_xdg(CACHE_HOME, "cache"))
    return (
        _home(),
        _ledger(),
        *(_inside(name, file) for name, file in others.items()),
        _tables(),
        databases,
        bench,
    )


def handed_on() -> dict[str, str]:
    """Return the environment variables that pass the full paths of this process to a worker."""
    named = {HOME: home(), LEDGER: _named_by(LEDGER), CONNECTIONS: _own_connections()}
    return {variable: str(path) for variable, path in named.items() if path is not None}


def _home() -> Place:
    if (named := _named_by(HOME)) is not None:
        return Place(name="home", path=named, because=HOME)
    try:
        path = platformdirs.user_data_path(NAME)
    except RuntimeError:
        raise Mistake(
            f"The home folder of this user is unknown. Set {HOME} to the full path of a folder."
        ) from None
    return Place(name="home", path=path, because=_xdg(DATA_HOME, "data"))


def _ledger() -> Place:
    return _inside("ledger", LEDGER_FILE, unless=LEDGER)


def _tables() -> Place:
    return _inside("tables", "tables", unless=FOLDER)


def _inside(name: str, file: str, *, unless: str = "") -> Place:
    """Return a file or folder in the main folder, or at the path that the variable `unless` contains."""
    if unless and (named := _named_by(unless)) is not None:
        return Place(name=name, path=named, because=unless)
    place = _home()
    return Place(name=name, path=place.path / file, because=f"in the main folder ({place.because})")


def _xdg(variable: str, kind: str) -> str:
    """Return the variable that names a folder of the user, or a description of the default folder.

    A relative path in the variable is ignored.
    """
    return variable if Path(os.environ.get(variable, "")).is_absolute() else f"the user's {kind} folder"


def _named_by(variable: str) -> Path | None:
    """Return the path in a variable, or None if the variable is empty.

    Raises: `Mistake` if the path is relative, because each current folder would then have a separate ledger.
    """
    typed = os.environ.get(variable)
    if not typed:
        return None
    path = Path(typed)
    with suppress(RuntimeError):  # for an unknown user, the path stays as typed and is not a full path
        path = path.expanduser()
    if not path.is_absolute():
        raise Mistake(
            f"{variable} is {typed!r}, which is not a full path and would depend on the current folder. "
            "Write the full path, like /srv/data."
        )
    return path


def _elsewhere() -> tuple[Path, ...]:
    """Return the paths that the ledger would have with other values of the variables."""
    with suppress(RuntimeError):
        return tuple(
            folder / LEDGER_FILE
            for folder in (platformdirs.user_data_path(NAME), Path(USUAL_HOME).expanduser())
        )
    return ()


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False
