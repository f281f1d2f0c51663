"""Store large answers and the states of queries beside the ledger's file.

A separate folder with one file each, readable by its owner only. An answer is on disk before the entry with
its digest is committed. Its file is named after its charge: if a process is killed between the two, the
charge is answered again in the same file, so that there are never two noisy results for one charge. The state
of a query (`private.queries`) is written before its charge is committed, so that a run whose process was
killed can be resumed. If the machine failed before the state reached the disk, the run can be resumed if it
asks the same query again.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

LARGEST_INSIDE = 1 << 22
"""Largest answer that is kept in the ledger's file: 4 MB, half a million cells."""


class Blobs:
    """The folder beside a ledger. It is created when something is first written to it.

    Raises: OSError, as the disk reports it.
    """

    def __init__(self, ledger: Path) -> None:
        self.folder = ledger.with_name(f"{ledger.name}-blobs")

    def write(self, name: str, content: bytes, *, is_durable: bool) -> None:
        """Write a file with this content, completely or not at all.

        `is_durable`: on disk when this returns. Only the holder of the ledger's write lock may call it.
        """
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
        """Return the content of a file; None if it does not exist."""
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
