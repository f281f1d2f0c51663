"""Steps on files of a folder that others write to: none of them follows a link, in any part of a path.

Every path here is a full one. Its folders are opened one after the other, each from the one before and never
through a link (O_NOFOLLOW), and the step is done from the last of them by its handle: what somebody puts in
the place of a folder meanwhile is not reached. Links above a shared folder are those of whoever named it, so
that `resolved` is asked once, before the first step.

Raises, in every step: `Mistake` where a part of the path is a link or no folder; `OSError` as the disk does.
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
    "There is something in the files of this task that is no plain file, such as a link. Nothing of it was "
    "read. Find out who put it into the shared folder, and start the task again."
)
_PASS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def resolved(path: Path) -> Path:
    """The full path of a place of our own, with the links above it followed; itself it may be none."""
    return path.parent.resolve() / path.name if path.name else path.resolve()


@contextmanager
def _at(folder: Path, flags: int = _PASS) -> Iterator[int]:
    """A handle of a folder. Raises: `FileNotFoundError` if it is not there."""
    if not folder.is_absolute() or ".." in folder.parts:
        raise ValueError("a path is full, and leads down")
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
    """A handle of a plain file, to read."""
    with _at(path.parent) as at:
        handle = _open(path.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, at=at)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Mistake(NO_PLAIN_FILE)
    return handle


def writing(path: Path, *, mode: int) -> int:
    """A handle of a new plain file of this mode, to write. Raises: `FileExistsError` if one is there."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with _at(path.parent) as at:
        handle = _open(path.name, flags, at=at, mode=mode)
    os.fchmod(handle, mode)
    return handle


def make(folder: Path, *, mode: int) -> Path:
    """A folder in one that is there. One that is made gets this mode and the group of the folder above; one
    that was there keeps its own."""
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


def entries(folder: Path) -> list[tuple[str, int]]:
    """What lies in a folder, by name, each with the kind of thing it is (`stat.S_IFMT`)."""
    found = []
    with _at(folder, _LIST) as at, os.scandir(at) as listed:
        for entry in listed:
            with suppress(FileNotFoundError):  # renamed between two looks
                found.append((entry.name, stat.S_IFMT(entry.stat(follow_symlinks=False).st_mode)))
    return sorted(found)


def folders(folder: Path) -> list[str]:
    """The names of the folders in a folder; a link is none."""
    return [name for name, kind in entries(folder) if kind == stat.S_IFDIR]


def files(folder: Path) -> list[str]:
    """The names of the plain files in a folder; a link is none."""
    return [name for name, kind in entries(folder) if kind == stat.S_IFREG]


def kind_of(path: Path) -> int:
    """What kind of thing is there (`stat.S_IFMT`), 0 for nothing."""
    try:
        with _at(path.parent) as at:
            return stat.S_IFMT(os.lstat(path.name, dir_fd=at).st_mode)
    except FileNotFoundError:
        return 0


def change_of(path: Path) -> int:
    """When something was last written or renamed, by the clock of the disk it is on: to see that it changed,
    not when. 0 for nothing."""
    try:
        with _at(path.parent) as at:
            return os.lstat(path.name, dir_fd=at).st_ctime_ns
    except OSError:
        return 0


def move(source: Path, target: Path) -> None:
    """Rename in one step, a link as such."""
    with _at(source.parent) as at, _at(target.parent) as there:
        os.rename(source.name, target.name, src_dir_fd=at, dst_dir_fd=there)


def remove(path: Path) -> None:
    """Take a file away, or a link as such, if it is there."""
    with _at(path.parent) as at, suppress(FileNotFoundError):
        os.unlink(path.name, dir_fd=at)


def remove_folder(folder: Path) -> None:
    """Take away a folder and all in it, as far as that may be done; of a link, nothing."""
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
