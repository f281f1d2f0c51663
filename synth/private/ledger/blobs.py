"""Store large results and the states of queries beside the ledger's file.

A separate folder contains one file for each of them, readable only by its owner. A result is on disk before
the entry with its digest is committed. Its file is named after its charge: if a process is killed between the
two, the charge is answered again in the same file, so there are never two noisy results for one charge. The
state of a query (`private.queries`) is written before its charge is committed, so that a run whose process
was killed can be resumed. If the machine failed before the state was on the disk, the run can be resumed only
if it makes the same query again.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from synth.core.system.disks import sync_folder

LARGEST_INSIDE = 1 << 22
"""Maximum size, in bytes, of a result in the ledger's file: 4 MB, or half a million cells."""


class Blobs:
    """The folder beside a ledger. It is created on the first write.

    Raises: OSError as reported by the disk.
    """

    def __init__(self, ledger: Path) -> None:
        self.folder = ledger.with_name(f"{ledger.name}-blobs")

    def write(self, name: str, content: bytes, *, is_durable: bool) -> None:
        """Write a file with this content, completely or not at all.

        If `is_durable` is true, the content is on disk when this function returns. The caller must hold the
        ledger's write lock.
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
            for folder in (self.folder, self.folder.parent):
                sync_folder(folder)

    def read(self, name: str) -> bytes | None:
        """Return the content of a file, or None if it does not exist."""
        try:
            return (self.folder / name).read_bytes()
        except FileNotFoundError:
            return None
