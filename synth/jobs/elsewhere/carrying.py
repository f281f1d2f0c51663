"""Public files of a task, carried from one machine to another.

Whoever can write into a shared folder may leave a link there that leads to a private file of the machine that
follows it. Nothing here follows one: what is neither a plain file nor a folder ends the task.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from synth.errors import Mistake

FILE_MODE, FOLDER_MODE = 0o660, 0o770
"""Whose group is that of the shared folder may take part."""

LARGEST_TEXT = 1 << 24
"""Bytes of a text that is read from a shared folder, at the most."""

_NO_PLAIN_FILE = (
    "There is something in the files of this task that is no plain file, such as a link. Nothing of it was "
    "read. Find out who put it into the shared folder, and start the task again."
)


def make(folder: Path) -> Path:
    """A folder for the group, made if it is not there, in one that is: a parcel that was renamed is not begun
    again under its old name."""
    folder.mkdir(exist_ok=True)
    with suppress(PermissionError):  # somebody else's, who has said who may
        folder.chmod(FOLDER_MODE)
    return folder


def put_text(path: Path, text: str) -> None:
    """Write a text for the group in one step. Raises: `FileNotFoundError` if its folder has moved away."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        os.fchmod(out.fileno(), FILE_MODE)
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(path)


def put_json(path: Path, document: Mapping[str, Any]) -> None:
    put_text(path, json.dumps(document, allow_nan=False))


def text_of(path: Path) -> str | None:
    """A text, None if there is none. Raises: `Mistake` for what is no plain file, or too long."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        raise Mistake(_NO_PLAIN_FILE) from None
    with os.fdopen(handle, encoding="utf-8", errors="replace") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_TEXT:
            raise Mistake(_NO_PLAIN_FILE)
        return file.read(LARGEST_TEXT)


def json_of(path: Path) -> dict[str, Any] | None:
    """A JSON object, None if there is none, or what is there is none."""
    try:
        text = text_of(path)
        return dict(json.loads(text)) if text is not None else None
    except (Mistake, TypeError, ValueError):
        return None


def files_below(folder: Path) -> Iterator[str]:
    """The paths of the files below a folder, in order. Raises: `Mistake` for what is neither of the two."""
    if not folder.is_dir():
        return
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.is_dir(follow_symlinks=False):
            yield from (f"{entry.name}/{name}" for name in files_below(folder / entry.name))
        elif entry.is_file(follow_symlinks=False):
            yield entry.name
        else:
            raise Mistake(_NO_PLAIN_FILE)


def digests_below(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file below a folder, by its path. Raises: as `files_below`."""
    found = {}
    for name in files_below(folder):
        with (folder / name).open("rb") as file:
            found[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def contents_below(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path. Raises: as `files_below`."""
    return {name: (folder / name).read_bytes() for name in files_below(folder)}


def lay_down(files: Mapping[str, bytes], folder: Path) -> None:
    """Write files below a folder for this user alone. Raises: `Mistake` for a path that leads out of it."""
    for name, content in files.items():
        place = folder / name
        if ".." in place.parts or not place.is_relative_to(folder):
            raise Mistake(_NO_PLAIN_FILE)
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.write_bytes(content)


def copy_below(source: Path, target: Path, *, shared: bool) -> None:
    """Copy all files below a folder, to a shared place or for this user alone. Raises: as `files_below`."""
    make(target) if shared else target.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in files_below(source):
        place = target / name
        for folder in reversed(place.relative_to(target).parents[:-1]):
            make(target / folder) if shared else (target / folder).mkdir(mode=0o700, exist_ok=True)
        _copy(source / name, place, mode=FILE_MODE if shared else 0o600)


def _copy(source: Path, target: Path, *, mode: int) -> None:
    from_there = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(from_there, "rb") as given:
        to_here = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        with os.fdopen(to_here, "wb") as out:
            os.fchmod(out.fileno(), mode)
            shutil.copyfileobj(given, out, 1 << 20)
            out.flush()
            os.fsync(out.fileno())


def hand_over(files: Mapping[str, Path | bytes], folder: Path) -> None:
    """Put files of this machine, or what one holds, under other names into a folder of its own, without a
    second copy where the disk allows it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, source in files.items():
        target = folder / name
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if isinstance(source, bytes):
            target.write_bytes(source)
            continue
        try:
            target.hardlink_to(source)
        except OSError:
            shutil.copyfile(source, target)
