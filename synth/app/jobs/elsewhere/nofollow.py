"""File operations that never follow a link in any part of a path, for folders that others can write to. Every
path is absolute.

Its folders are opened one after another, each relative to the previous one and never through a link
(O_NOFOLLOW). The operation uses the handle of the last folder, so it is not affected if a folder in the path
is replaced in the meantime. Links above a shared folder are trusted: the folder's path is resolved once,
before the first operation.

Every function raises `Mistake` if a part of the path is a link or is not a folder, and `OSError` for a disk
error.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from synth.core.errors import Mistake

NO_PLAIN_FILE = (
    "A file of this task is not a plain file. It may be a link, so it was not read. Find out who put it into "
    "the shared folder, then start the task again."
)
_PASS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def _at(folder: Path, flags: int = _PASS) -> Iterator[int]:
    """Open a folder. Raises: `FileNotFoundError` if it does not exist."""
    if not folder.is_absolute() or ".." in folder.parts:
        raise ValueError("a path must be absolute and must not contain '..'")
    handle = os.open(folder.anchor, _PASS if folder.parts[1:] else flags)
    try:
        for number, part in enumerate(folder.parts[1:], start=2):
            further = _open(part, _PASS if number < len(folder.parts) else flags, at=handle)
            os.close(handle)
            handle = further
        yield handle
    finally:
        os.close(handle)


def _open(name: str, flags: int, *, at: int, mode: int = 0o600) -> int:
    try:
        return os.open(name, flags, mode, dir_fd=at)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO):
            raise Mistake(NO_PLAIN_FILE) from None
        raise


def reading(path: Path) -> int:
    """Open a plain file for reading."""
    with _at(path.parent) as at:
        handle = _open(path.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, at=at)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Mistake(NO_PLAIN_FILE)
    return handle


def writing(path: Path, *, mode: int) -> int:
    """Open a new plain file of this mode for writing. Raises: `FileExistsError` if it exists."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with _at(path.parent) as at:
        handle = _open(path.name, flags, at=at, mode=mode)
    os.fchmod(handle, mode)
    return handle


def make(folder: Path, *, mode: int) -> Path:
    """Make a folder in an existing folder, with this mode and the set-group-ID bit of its parent. If the
    folder exists, it keeps its mode.
    """
    with _at(folder.parent) as at:
        try:
            os.mkdir(folder.name, mode=0o700, dir_fd=at)
        except FileExistsError:
            os.close(_open(folder.name, _PASS, at=at))
            return folder
        handle = _open(folder.name, _LIST, at=at)
    try:
        os.fchmod(handle, mode | (os.fstat(handle).st_mode & stat.S_ISGID))
    finally:
        os.close(handle)
    return folder


def folders(folder: Path) -> list[str]:
    """Return the names of the folders in a folder. Links are excluded."""
    with _at(folder, _LIST) as at, os.scandir(at) as listed:
        return sorted(entry.name for entry in listed if entry.is_dir(follow_symlinks=False))


def kind_of(path: Path) -> int:
    """Return the type of an entry (`stat.S_IFMT`), or 0 if it does not exist."""
    try:
        with _at(path.parent) as at:
            return stat.S_IFMT(os.lstat(path.name, dir_fd=at).st_mode)
    except FileNotFoundError:
        return 0


def move(source: Path, target: Path) -> None:
    """Rename an entry in one step. If it is a link, the link itself is renamed."""
    with _at(source.parent) as at, _at(target.parent) as there:
        os.rename(source.name, target.name, src_dir_fd=at, dst_dir_fd=there)


def remove(path: Path) -> None:
    """Remove a file or link if it exists. The target of a link is kept."""
    with _at(path.parent) as at, suppress(FileNotFoundError):
        os.unlink(path.name, dir_fd=at)


def remove_folder(folder: Path) -> None:
    """Remove a folder and its contents as far as permissions allow. A link is not removed."""
    with _at(folder.parent) as at:
        shutil.rmtree(folder.name, ignore_errors=True, dir_fd=at)


def put(path: Path, content: bytes, *, mode: int) -> None:
    """Write a file in one step."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(writing(draft, mode=mode), "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        move(draft, path)
    except OSError:
        with suppress(OSError, Mistake):
            remove(draft)
        raise
