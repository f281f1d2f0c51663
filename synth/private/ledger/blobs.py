"""What lies beside the ledger's file: answers too large for it, and what queries were made of.

A folder of its own with a file for each, for its owner only. An answer is on disk before the entry that tells
its digest is committed. It lies at the place of its charge: should a process be killed between the two, the
charge is answered anew in that very place, so that never two noisy answers lie here for one price. The state
of a query (`private.queries`) is written before its charge is committed, so that a run whose process was
killed can be resumed; should the machine itself have failed before it reached the disk, the run is resumed if
it asks the very same query again.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

LARGEST_INSIDE = 1 << 22
"""Bytes of an answer up to which it is kept in the ledger's file: 4 MB, half a million cells."""


class Blobs:
    """The folder beside a ledger. It is made when something is first written into it.

    Raises: OSError where the disk does.
    """

    def __init__(self, ledger: Path) -> None:
        self.folder = ledger.with_name(f"{ledger.name}-blobs")

    def write(self, name: str, content: bytes, *, is_durable: bool) -> None:
        """A file with just this content, or none; `is_durable`: on disk when this returns. For one at a time:
        whoever holds the ledger's write lock."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        path = self.folder / f"{name}.part"
        path.unlink(missing_ok=True)  # of a process that was killed
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                if is_durable:
                    os.fsync(handle)
            path.replace(self.folder / name)
        except BaseException:
            with suppress(OSError):
                path.unlink()
            raise
        if is_durable:
            self._sync_folder()

    def read(self, name: str) -> bytes | None:
        """The content of a file; None if there is none."""
        try:
            return (self.folder / name).read_bytes()
        except FileNotFoundError:
            return None

    def _sync_folder(self) -> None:
        for folder in (self.folder, self.folder.parent):
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
