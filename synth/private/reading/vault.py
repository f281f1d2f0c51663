"""Store the secrets that make a second opening of a private file return the same rows.

These are a random key, which is drawn once, and the file's fingerprint under this key. The random numbers
that cap the rows of a unit are derived from the key, so that a resumed run keeps the same rows. The
fingerprint shows whether the file has changed. Both are in one file that only its owner can read (0600), and
are never published.

The rule of a run: it makes no query before its file was read to the end and both secrets are on the disk.
From then on, it accepts only this file. If it ends before, it has learned nothing from the file, and draws a
new key at the next opening, which may be of another file. A run with a charge but without these secrets
accepts no file (`pipeline`).

Privacy: with a plain hash of a file, anyone who finds the hash could test a guess of the whole table. A keyed
hash reveals nothing without its key, and a user who can read the key can also read the path of the table
beside it.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from synth.core.errors import Code, Refusal
from synth.core.system.disks import sync_folder
from synth.private.entropy import Entropy
from synth.private.sealed import Hidden

if TYPE_CHECKING:
    from hashlib import blake2b

    from _typeshed import WriteableBuffer

KEY_BYTES = 32
CHUNK = 1 << 20


class Vault(Hidden):
    """The secrets of one run. `path` is in a folder of mode 0700.

    A vault has an empty `repr` and cannot be pickled.

    Raises: `Refusal` FILE_UNREADABLE if the file at `path` is not a vault.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._key, self._fingerprint = secrets.token_bytes(KEY_BYTES), ""
        if path.exists():
            self._key, self._fingerprint = _read(path)

    @property
    def knows_file(self) -> bool:
        """Whether the fingerprint of a file is stored."""
        return bool(self._fingerprint)

    @property
    def folder(self) -> Path:
        """Return the private folder of the vault."""
        return self._path.parent

    @property
    def entropy(self) -> Entropy:
        """Return random bytes that stay the same each time. They choose rows and are never used for noise."""
        return _Stream(self._key)

    def digest(self) -> blake2b:
        """Return a new keyed hash for the bytes of the file."""
        return hashlib.blake2b(key=self._key, digest_size=32, person=b"file")

    def check(self, digest: blake2b) -> None:
        """Store the fingerprint at the first opening, and compare it at later openings.

        Raises: `Refusal` FILE_CHANGED.
        """
        fingerprint = digest.hexdigest()
        if not self._fingerprint:
            self._fingerprint = fingerprint
            _write(self._path, json.dumps({"key": self._key.hex(), "fingerprint": fingerprint}))
        elif not secrets.compare_digest(self._fingerprint, fingerprint):
            raise Refusal(Code.FILE_CHANGED)


class _Stream(Entropy):
    """Bytes derived from a key by SHAKE-256."""

    def __init__(self, key: bytes) -> None:
        self._key, self._calls = key, 0

    def bytes(self, n: int) -> bytes:
        self._calls += 1
        return hashlib.shake_256(self._key + b"rows" + self._calls.to_bytes(8, "big")).digest(n)


class Watch:
    """The files of a table, whose bytes are added to a vault's fingerprint one after the other.

    For several files, their names and sizes are included, because a renamed file would be read in a different
    order. For a single file, the fingerprint is the hash of its bytes.
    """

    def __init__(self, files: Sequence[Path], vault: Vault | None) -> None:
        self._files, self._vault = files, vault
        self._digest = None if vault is None else vault.digest()

    def open(self, path: Path) -> WatchedFile:
        """Open one of the files, which must be read to its end before the next one is opened."""
        if self._digest is not None and len(self._files) > 1:
            self._digest.update(json.dumps([path.name, path.stat().st_size]).encode())
        return WatchedFile(path, self._digest)

    def check(self) -> None:
        """Store or compare the fingerprint after all files were read. Raises: `Refusal` FILE_CHANGED."""
        if self._vault is not None and self._digest is not None:
            self._vault.check(self._digest)


class WatchedFile(io.RawIOBase):
    """A file whose bytes are hashed while they are read, from the first to the last."""

    def __init__(self, path: Path, digest: blake2b | None) -> None:
        super().__init__()
        self._file, self._digest = path.open("rb", buffering=0), digest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        count = self._file.readinto(buffer) or 0
        if self._digest is not None:
            self._digest.update(memoryview(buffer)[:count])
        return count

    def read_on(self) -> None:
        """Read the rest of the file if a fingerprint is needed."""
        chunk = bytearray(CHUNK)
        while self._digest is not None and self.readinto(chunk):
            pass

    def close(self) -> None:
        self._file.close()
        super().close()


def _read(path: Path) -> tuple[bytes, str]:
    try:
        kept = json.loads(path.read_text())
        return bytes.fromhex(kept["key"]), str(kept["fingerprint"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise Refusal(Code.FILE_UNREADABLE)


def _write(path: Path, text: str) -> None:
    """Write a file atomically and durably, for its owner only.

    After a power failure, the ledger must not have charges of a run whose file is forgotten. It is defined
    here because `private` imports nothing above it.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "w") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(path)
    sync_folder(path.parent)
