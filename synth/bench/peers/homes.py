"""Create a virtual environment for every library, in the user's cache, on first use.

The pip of this interpreter installs the packages.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

from synth.bench.peers.catalogue import Library
from synth.core.errors import MarginaliaError
from synth.core.system import places

SECONDS = 1800
READY = "ready.json"
"""Name of the file that lists the installed packages. It is written last, so that an interrupted installation
starts again.
"""


class NotInstalled(MarginaliaError):
    """Raised if a library cannot be installed on this machine; it states the reason."""


def interpreter(library: Library) -> Path:
    """Return the Python interpreter of a library's environment, which is created if it does not exist.

    Raises: `NotInstalled`.
    """
    home = _home(library)
    python = home / "bin" / "python"
    if not (home / READY).is_file():
        shutil.rmtree(home, ignore_errors=True)
        _run([_maker(library), "-m", "venv", "--without-pip", str(home)], library)
        pip = [sys.executable, "-m", "pip", "--python", str(python)]
        for arguments in library.installs:
            _run([*pip, "install", "--quiet", *arguments], library)
        listed = _run([*pip, "list", "--format", "json"], library)
        (home / READY).write_text(listed, encoding="utf-8")
    return python


def versions(library: Library) -> dict[str, str]:
    """Return the versions of the packages in the environment, empty if it was never created."""
    ready = _home(library) / READY
    if not ready.is_file():
        return {}
    return {entry["name"]: entry["version"] for entry in json.loads(ready.read_text(encoding="utf-8"))}


def _home(library: Library) -> Path:
    """Return the folder of the environment. Each set of pinned versions has a separate folder."""
    pinned = json.dumps([library.installs, sys.version_info[:2]])
    digest = hashlib.sha256(pinned.encode()).hexdigest()[:12]
    return places.cache() / "bench" / "peers" / f"{library.name}-{digest}"


def _maker(library: Library) -> str:
    """Return this Python interpreter, or one on the path that is old enough for the library."""
    if library.below is None or sys.version_info[:2] < library.below:
        return sys.executable
    major, minor = library.below
    for older in range(minor - 1, 9, -1):
        python = shutil.which(f"python{major}.{older}")
        if python is not None and _runs(python):
            return python
    raise NotInstalled(
        f"{library.name} needs a Python version below {major}.{minor}, but none is on the path. Install one."
    )


def _runs(python: str) -> bool:
    """Whether this Python interpreter runs: a name on the path can refer to a version that is not
    installed.
    """
    return subprocess.run([python, "-c", "import venv"], capture_output=True, check=False).returncode == 0


def _run(command: list[str], library: Library) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=SECONDS)
    except subprocess.CalledProcessError as failure:
        last = (failure.stderr.strip().splitlines() or ["no reason was given"])[-1]
        raise NotInstalled(f"{library.name} could not be installed: {last}") from None
    except (OSError, subprocess.TimeoutExpired):
        raise NotInstalled(f"{library.name} could not be installed: pip did not finish.") from None
    return done.stdout
