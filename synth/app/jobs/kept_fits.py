"""What the fits between a run's rounds ended with, in the run's own folder, until the run is done.

One file per fit, for its owner alone (0600) in a folder of mode 0700, named by the key of the fit
(`mechanisms.keys`), a digest of all that it follows from: a run that goes on takes a file for the very fit
that wrote it and for no other. The file begins with a checksum of the key and of all that follows; one that
is cut, damaged or another's is passed over, and the fit is made again. It is written beside its place and
moved there in one step.

What is kept: fits that took `LEAST_SECONDS` and more, in `MOST_BYTES` at most for a run, while the disk has
`LEFT_FREE` beside them. Anything else is made again. Nothing here is private: weights of a model follow from
noisy answers that were paid for.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import time
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np

from synth.core.progress import Arrays, Ended

LEAST_SECONDS = 1.0
"""Fits quicker than this are not kept: they are made again in the time that a few files take."""

MOST_BYTES, LEFT_FREE = 4 << 30, 2 << 30
"""Of all files of a run, about 300 fits of the largest network; and what is left free on the disk."""

SUFFIX, DRAFT = ".fit", ".part"


class KeptFits:
    """The fits of one run in `folder`, which is made with the first of them, in at most so many bytes. One
    process at a time."""

    def __init__(self, folder: Path, *, most_bytes: int = MOST_BYTES) -> None:
        self._folder, self._most_bytes = folder, most_bytes
        self._bytes = 0
        for path in folder.iterdir() if folder.is_dir() and not folder.is_symlink() else ():
            is_file = path.is_file() and not path.is_symlink()
            if is_file and path.suffix == DRAFT:
                path.unlink(missing_ok=True)  # of a process that was killed
            elif is_file:
                self._bytes += path.stat().st_size

    def checkpoint(self, key: str) -> KeptFit:
        """Of one fit, whose time begins now."""
        return KeptFit(self, key)

    def read(self, key: str) -> Ended:
        """What was kept under a key; empty if nothing was, or nothing whole."""
        place = self._place(key)
        try:
            if place.is_symlink() or not place.is_file() or place.stat().st_size > self._most_bytes:
                return {}
            content = place.read_bytes()
        except OSError:
            return {}
        size = hashlib.sha256().digest_size
        if content[:size] != _checksum(key, content[size:]):
            return {}
        try:
            with np.load(io.BytesIO(content[size:]), allow_pickle=False) as kept:
                return {name: kept[name] for name in kept.files}
        except (ValueError, TypeError, AttributeError, OSError, EOFError, zipfile.BadZipFile):
            return {}

    def write(self, key: str, arrays: Ended) -> None:
        """Keep it, unless there is no room; what cannot be written is not kept, and no run fails of it."""
        packed = io.BytesIO()
        np.savez(packed, **dict(arrays))  # type: ignore[arg-type]
        body = packed.getvalue()
        content = _checksum(key, body) + body
        place, draft = self._place(key), self._place(key).with_suffix(DRAFT)
        with suppress(OSError):
            if self._folder.is_symlink() or draft.is_symlink():
                return
            self._folder.mkdir(mode=0o700, exist_ok=True)
            before = place.stat().st_size if place.exists() else 0
            is_roomy = shutil.disk_usage(self._folder).free >= LEFT_FREE + len(content)
            if not is_roomy or self._bytes - before + len(content) > self._most_bytes:
                return
            try:
                handle = os.open(
                    draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
                )
                with os.fdopen(handle, "wb") as out:
                    out.write(content)
                draft.replace(place)
            except OSError:
                draft.unlink(missing_ok=True)
                raise
            self._bytes += len(content) - before

    def remove(self) -> None:
        """Remove all of them."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _place(self, key: str) -> Path:
        return self._folder / f"{key}{SUFFIX}"


class KeptFit:
    """The checkpoint of one fit: it keeps what the fit ended with, and nothing of the steps between."""

    def __init__(self, fits: KeptFits, key: str) -> None:
        self._fits, self._key, self._began = fits, key, time.monotonic()
        self._is_known = False

    def load(self) -> Arrays:
        return {}

    def save(self, arrays: Arrays) -> None:
        return None

    def finished(self) -> Ended:
        found = self._fits.read(self._key)
        self._is_known = bool(found)
        return found

    def finish(self, arrays: Ended) -> None:
        if not self._is_known and time.monotonic() - self._began >= LEAST_SECONDS:
            self._fits.write(self._key, arrays)


def _checksum(key: str, body: bytes) -> bytes:
    return hashlib.sha256(key.encode() + body).digest()
