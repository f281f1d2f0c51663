"""The files that are one table: one file, the files of a folder, or those that a pattern names.

Public facts about the files alone decide: their names, their kinds and their headers. `copies` alone reads
rows: who counts a row twice promises twice as much as was declared.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from synth.core.errors import Code, Refusal
from synth.core.system.address import ARROW, DUCKDB, PARQUET, Address, address_of, entries

CHUNK = 1 << 20

KINDS = {suffix: kind[0] for kind in (PARQUET, ARROW, DUCKDB) for suffix in kind}
"""The kind of a file by how its name ends; any other is text."""


def kind_of(path: Path) -> str:
    """The kind of a file as one of the values of `KINDS`, "" for text."""
    return KINDS.get(path.suffix.lower(), "")


def files_of(address: Address) -> tuple[Path, ...]:
    """The files of a table, in the order of their paths (`address.entries`).

    Raises: `Refusal` ROWS_ELSEWHERE for a database, FILE_UNREADABLE where there is no file, FILES_DIFFER for
    files of two kinds, a folder in the folder, or several DuckDB files, FILES_SAME for one file under two
    names (a link among them).
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
    """What else holds rows of a DuckDB file: the changes that were not yet written into it."""
    log = path.with_name(f"{path.name}.wal")
    return (log,) if log.is_file() else ()


def copies(files: Sequence[Path]) -> frozenset[Path]:
    """Those that hold the same bytes as one before them. Only files of one size are read. Private side."""
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


def fingerprint(place: Address | Path | str, *, key: bytes) -> str | None:
    """BLAKE2b of a table's files under `key` (at most 64 bytes): 64 hexadecimal digits.

    Of a file the hash of its bytes; of several the hash of their hashes, whatever they are called. Of a
    DuckDB file that of all it holds and of the changes beside it, whichever table is named and however: its
    tables are mostly of the same people. None for what is no table or cannot be read, which is left for the
    run that opens it to refuse. Of a database its connection's name: under another name the same table is
    not noticed.
    """
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
