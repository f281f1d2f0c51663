"""Copy public files of a task from one machine to another through a folder that others can write to.

Anyone with write access to a shared folder can put a link there that points to a private file of the machine
that follows it. These functions never follow a link in any part of a path (`nofollow`). If an entry is not a
plain file, the task ends. Paths in a shared folder are absolute, and links above that folder are resolved
first. The files of a task are copied as one archive without compression.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile

from synth.app.jobs.elsewhere import nofollow
from synth.app.jobs.elsewhere.nofollow import NO_PLAIN_FILE
from synth.core.errors import Mistake

FILE_MODE, FOLDER_MODE = 0o660, 0o770
"""Permissions that let the group of the shared folder read and write."""

LARGEST_TEXT = 1 << 24
"""Maximum size in bytes of a text file that is read from a shared folder."""


def make(folder: Path) -> Path:
    """Make a folder for the group in an existing folder. Parent folders are not created, so a renamed parcel
    does not reappear under its old name. An existing folder keeps its mode. Raises: `Mistake` for a link.
    """
    return nofollow.make(folder, mode=FOLDER_MODE)


def put_text(path: Path, text: str) -> None:
    """Write a text file for the group in one step. Raises: `FileNotFoundError` if its folder was moved, and
    `Mistake` if a part of the path is a link.
    """
    nofollow.put(path, text.encode(), mode=FILE_MODE)


def put_json(path: Path, document: Mapping[str, Any]) -> None:
    put_text(path, json.dumps(document, allow_nan=False))


def text_of(path: Path) -> str | None:
    """Return the content of a text file, or None if the file does not exist.

    Raises: `Mistake` unless it is a plain file of at most `LARGEST_TEXT` bytes.
    """
    try:
        handle = nofollow.reading(path)
    except FileNotFoundError:
        return None
    except OSError:
        raise Mistake(NO_PLAIN_FILE) from None
    with os.fdopen(handle, encoding="utf-8", errors="replace") as file:
        if os.fstat(file.fileno()).st_size > LARGEST_TEXT:
            raise Mistake(NO_PLAIN_FILE)
        return file.read(LARGEST_TEXT)


def json_of(path: Path) -> dict[str, Any] | None:
    """Return the JSON object in a file, or None if the file is missing or contains something else."""
    try:
        text = text_of(path)
        return dict(json.loads(text)) if text is not None else None
    except (Mistake, TypeError, ValueError):
        return None


def pack(folder: Path, archive: Path) -> None:
    """Write the files in a folder of this machine into one archive in a shared folder.

    Raises: `FileNotFoundError` if the archive's folder was moved, `Mistake` for a link."""
    with os.fdopen(nofollow.writing(archive, mode=FILE_MODE), "wb") as out:
        with ZipFile(out, "w") as packed:
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                packed.write(path, path.relative_to(folder))
        out.flush()
        os.fsync(out.fileno())


def unpack(archive: Path, folder: Path) -> None:
    """Copy the files of an archive in a shared folder into a folder of this machine, for this user only.

    Raises: `FileNotFoundError` if the archive was moved, `Mistake` if it is not an archive of `pack`."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with os.fdopen(nofollow.reading(archive), "rb") as file, ZipFile(file) as packed:
            if any(entry.compress_type != ZIP_STORED for entry in packed.infolist()):
                raise BadZipFile("the archive contains compressed files, which may be very large")
            packed.extractall(folder)  # it makes no links, and writes nothing outside the folder
    except (BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError):
        raise Mistake(NO_PLAIN_FILE) from None
