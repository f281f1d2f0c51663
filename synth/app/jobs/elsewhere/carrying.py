"""Carry public files of a task from one machine to another.

Anyone who can write into a shared folder may leave a link there to a private file of the machine that
follows it. Nothing here follows a link, in any part of a path (`nofollow`): anything but a plain file or a
folder ends the task. Paths of a shared folder are full; links above that folder are followed first.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from synth.app.jobs.elsewhere import nofollow
from synth.app.jobs.elsewhere.nofollow import NO_PLAIN_FILE
from synth.core.errors import Mistake

FILE_MODE, FOLDER_MODE = 0o660, 0o770
"""The group of the shared folder may take part."""

LARGEST_TEXT = 1 << 24
"""Bytes of the largest text that is read from a shared folder."""


def make(folder: Path) -> Path:
    """Make a folder for the group in an existing one: a renamed parcel is not started again under its old
    name. An existing folder keeps its mode. Raises: `Mistake` for a link."""
    return nofollow.make(folder, mode=FOLDER_MODE)


def put_text(path: Path, text: str) -> None:
    """Write a text for the group in one step. Raises: `FileNotFoundError` if its folder has moved away,
    `Mistake` if a link is in its place."""
    nofollow.put(path, text.encode(), mode=FILE_MODE)


def put_json(path: Path, document: Mapping[str, Any]) -> None:
    put_text(path, json.dumps(document, allow_nan=False))


def text_of(path: Path) -> str | None:
    """Return a text, None if there is none. Raises: `Mistake` unless it is a plain file of modest size."""
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
    """Return a JSON object, None if there is none."""
    try:
        text = text_of(path)
        return dict(json.loads(text)) if text is not None else None
    except (Mistake, TypeError, ValueError):
        return None


def files_below(folder: Path) -> Iterator[str]:
    """Yield the paths of the files below a folder, in order. Raises: `Mistake` for anything else there."""
    if not nofollow.kind_of(folder):
        return
    for name, kind in nofollow.entries(folder):
        if kind == stat.S_IFDIR:
            yield from (f"{name}/{further}" for further in files_below(folder / name))
        elif kind == stat.S_IFREG:
            yield name
        else:
            raise Mistake(NO_PLAIN_FILE)


def digests_below(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file below a folder of ours, by path. Raises: as `files_below`."""
    place, found = nofollow.resolved(folder), {}
    for name in files_below(place):
        with os.fdopen(nofollow.reading(place / name), "rb") as file:
            found[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def contents_below(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder of ours, by path. Raises: as `files_below`."""
    place, found = nofollow.resolved(folder), {}
    for name in files_below(place):
        with os.fdopen(nofollow.reading(place / name), "rb") as file:
            found[name] = file.read()
    return found


def lay_down(files: Mapping[str, bytes], folder: Path) -> None:
    """Write files below a folder for this user alone. Raises: `Mistake` for a path that leads out of it."""
    for name, content in files.items():
        place = folder / name
        if ".." in place.parts or not place.is_relative_to(folder):
            raise Mistake(NO_PLAIN_FILE)
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.write_bytes(content)


def copy_below(source: Path, target: Path, *, shared: bool) -> None:
    """Copy all files below a folder: from ours to a `shared` one, or from a shared one to ours.

    Raises: as `files_below`."""
    if shared:
        source = nofollow.resolved(source)
        make(target)
    else:
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        target = nofollow.resolved(target)
    for name in files_below(source):
        place = target / name
        for folder in reversed(place.relative_to(target).parents[:-1]):
            nofollow.make(target / folder, mode=FOLDER_MODE if shared else 0o700)
        _copy(source / name, place, mode=FILE_MODE if shared else 0o600)


def _copy(source: Path, target: Path, *, mode: int) -> None:
    with (
        os.fdopen(nofollow.reading(source), "rb") as given,
        os.fdopen(nofollow.writing(target, mode=mode), "wb") as out,
    ):
        shutil.copyfileobj(given, out, 1 << 20)
        out.flush()
        os.fsync(out.fileno())


def hand_over(files: Mapping[str, Path | bytes], folder: Path) -> None:
    """Put files or bytes of this machine under new names into a folder, as hard links where possible."""
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
