"""Read the files of a release package, from its folder or its zip."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from synth.core.errors import Mistake
from synth.release.layout import CHECKSUMS

LARGEST = 4 * 2**30
"""Largest unpacked size of a zip, in bytes. A larger zip is not read."""

_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)
"""Errors that the library can raise for bytes that are not a zip."""


def files_of(path: str | Path) -> Mapping[str, bytes]:
    """Return the files of a release package by path. Raises: `Mistake` if there is no package at `path`."""
    place = Path(path)
    return _unzipped(place) if place.is_file() else _folder(place)


def _folder(place: Path) -> Mapping[str, bytes]:
    if not (place / CHECKSUMS).is_file():
        raise Mistake(f"There is no release package at {str(place)!r}: it has no {CHECKSUMS}.")
    paths = sorted(p for p in place.rglob("*") if p.is_symlink() or not p.is_dir())
    return _OnDisk(place, [p.relative_to(place).as_posix() for p in paths])


class _OnDisk(Mapping[str, bytes]):
    """The files of a folder. They are read on each access and not cached, because a table may be large.

    A symbolic link is read as an empty file.
    """

    def __init__(self, place: Path, names: Sequence[str]) -> None:
        self._place, self._names = place, dict.fromkeys(names)

    def __getitem__(self, name: str) -> bytes:
        if name not in self._names:
            raise KeyError(name)
        path = self._place / name
        try:
            return b"" if path.is_symlink() else path.read_bytes()
        except OSError:
            raise KeyError(name) from None

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _unzipped(place: Path) -> dict[str, bytes]:
    files = unpacked(place, name=str(place))
    if CHECKSUMS not in files:
        raise Mistake(f"There is no release package in {str(place)!r}: it has no {CHECKSUMS}.")
    return files


def unpacked(archive: Path | IO[bytes], *, name: str) -> dict[str, bytes]:
    """Return the files of a zip by their paths below its top folder. The zip may be from an untrusted source.

    Raises: `Mistake` if the zip is damaged, contains a path twice, or declares more than `LARGEST` unpacked
    bytes. In these cases, no file is read. `name` is the name of the zip in messages.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = [e for e in opened.infolist() if not e.is_dir()]
            if sum(e.file_size for e in entries) > LARGEST:
                raise Mistake(f"{name!r} unpacks to more than {LARGEST // 2**30} GB; it was not read.")
            files = {e.filename.partition("/")[2]: opened.read(e) for e in entries}
    except _DAMAGED:
        raise Mistake(f"{name!r} cannot be read as a zip.") from None
    if len(files) != len(entries):
        raise Mistake(f"{name!r} contains two files with the same name.")
    return files
