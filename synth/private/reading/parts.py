"""Find the files of a table and compute their fingerprint.

The files are a single file, the files of a folder, or the files that match a pattern.

Only `copies` and `fingerprint` read the bytes of the files. All other functions use only public facts about
the files: their names, kinds and headers. A row that is read twice would count twice, which could exceed the
declared maximum. A fingerprint reveals nothing without its key. Whether two fingerprints are equal is an
exact fact about private rows, so it is only for the steward.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from synth.core.errors import Code, Refusal
from synth.core.system.address import Address, address_of, entries
from synth.core.system.kinds import DUCKDB, kind_of

if TYPE_CHECKING:
    from synth.private.frame import Frame

CHUNK = 1 << 20


def files_of(address: Address) -> tuple[Path, ...]:
    """Return the files of a table, in the order of their paths (`address.entries`).

    Raises: `Refusal` ROWS_ELSEWHERE for a database; FILE_UNREADABLE if there is no file; FILES_DIFFER for
    files of two kinds, a subfolder, or several DuckDB files; FILES_SAME for one file under two names
    (including a link).
    """
    if address.connection:
        raise Refusal(Code.ROWS_ELSEWHERE)
    files = entries(address)
    if not files or not all(path.exists() for path in files):
        raise Refusal(Code.FILE_UNREADABLE)
    if not all(path.is_file() for path in files):
        raise Refusal(Code.FILES_DIFFER if address.path.is_dir() else Code.FILE_UNREADABLE)
    kinds = {kind_of(path) for path in files}
    if len(kinds) > 1 or (len(files) > 1 and kinds == {DUCKDB[0]}):
        raise Refusal(Code.FILES_DIFFER)
    if len({(status.st_dev, status.st_ino) for status in map(os.stat, files)}) < len(files):
        raise Refusal(Code.FILES_SAME)
    return files


def files_beside(path: Path) -> tuple[Path, ...]:
    """Return the other file that contains rows of a DuckDB file, which is its write-ahead log."""
    log = path.with_name(f"{path.name}.wal")
    return (log,) if log.is_file() else ()


def copies(files: Sequence[Path]) -> frozenset[Path]:
    """Return the files that have the same bytes as an earlier file. Private side.

    Only files of equal size are read.
    """
    sizes = [path.stat().st_size for path in files]
    several = {size for size, times in Counter(sizes).items() if times > 1}
    seen: set[tuple[int, bytes]] = set()
    found = set()
    for path, size in zip(files, sizes, strict=True):
        if size in several:
            with path.open("rb") as file:
                known = (size, hashlib.file_digest(file, "sha256").digest())
            if known in seen:
                found.add(path)
            seen.add(known)
    return frozenset(found)


def fingerprint(place: Address | Path | str | Frame, *, key: bytes) -> str | None:
    """Return the BLAKE2b hash of a table's files under `key` (at most 64 bytes), as 64 hexadecimal digits.

    For one file, it is the hash of its bytes; for several files, the hash of their hashes, independent of
    their names. For a DuckDB file, it is the hash of all tables and of the log, because the tables are
    usually about the same people. It is None for anything that is not a table or cannot be read; a run that
    opens it will refuse it. For a database, it is the hash of the connection's name, so the same table under
    a different name is not recognised. For a data frame, it is the hash of its types and values.
    """
    if not isinstance(place, Address | Path | str):
        return place.fingerprint(key)
    address = place if isinstance(place, Address) else address_of(place)
    if address.connection:
        return hashlib.blake2b(str(address).encode(), key=key, digest_size=32, person=b"database").hexdigest()
    try:
        files = files_of(address)
        beside = files_beside(files[0]) if kind_of(files[0]) in DUCKDB else ()
        digests = [_digest(path, key) for path in (*files, *beside)]
    except (OSError, Refusal):
        return None
    if len(digests) == 1:
        return digests[0].hex()
    whole = hashlib.blake2b(key=key, digest_size=32, person=b"several")
    for digest in sorted(digests):
        whole.update(digest)
    return whole.hexdigest()


def _digest(path: Path, key: bytes) -> bytes:
    digest = hashlib.blake2b(key=key, digest_size=32, person=b"known")
    with path.open("rb", buffering=0) as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.digest()
