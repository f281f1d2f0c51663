"""The fingerprint of a private file under a key: what tells two equal files without keeping either.

Like every reading of private bytes it is done on the private side; who asks gets the digest and nothing else.

Privacy: a fingerprint says nothing without its key. That two of them are equal is an exact fact about private
rows, for the steward alone.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from synth.core.errors import Refusal
from synth.core.system.address import DUCKDB, Address, address_of
from synth.private.reading.parts import files_beside, files_of, kind_of

CHUNK = 1 << 20


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
