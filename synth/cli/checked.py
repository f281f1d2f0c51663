"""Remember which tables were checked with `marginalia check`, by the name, size and time of a file."""

from __future__ import annotations

import hashlib
from pathlib import Path

from synth.core.system.address import Address
from synth.core.system.places import home, made

_FILE = "checked"


def remember(data: Address) -> None:
    """Record that a table was checked. The record stays in the private home."""
    if not was_checked(data):
        with (made(home()) / _FILE).open("a", encoding="ascii") as file:
            file.write(_mark(data) + "\n")


def was_checked(data: Address) -> bool:
    """Return whether this table was checked and has not been saved again since. The table is not read."""
    path = home() / _FILE
    return path.is_file() and _mark(data) in path.read_text(encoding="ascii").splitlines()


def _mark(data: Address) -> str:
    facts = [str(data)]
    if not data.connection and (path := Path(data.path)).is_file():
        facts += [str(path.stat().st_size), str(path.stat().st_mtime_ns)]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()
